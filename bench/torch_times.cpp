#include "torch_times.hpp"

#include "number_text.hpp"

#include <fstream>
#include <limits>
#include <string_view>

namespace oriel::bench {

Result<TorchTimes> read_torch_times(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    return fail(ErrorCode::kInvalidArgument, "can't read " + tools::in_quotes(file));
  }
  TorchTimes times;
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t space = line.find(' ');
    const std::string_view text = line;
    const auto links =
        tools::parse_whole(text.substr(0, space), 1, std::numeric_limits<std::uint32_t>::max());
    const auto microseconds =
        tools::parse_real(space == std::string::npos ? "" : text.substr(space + 1));
    if (!links || !microseconds || *microseconds <= 0) {
      return fail(ErrorCode::kInvalidArgument,
                  tools::in_quotes(file) + " has the line " + tools::in_quotes(line) +
                      "; lines are \"<links> <microseconds>\"");
    }
    times[*links] = *microseconds * 1e-6;
  }
  return times;
}

}  // namespace oriel::bench
