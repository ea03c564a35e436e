#include "matrix_market.hpp"

#include "number_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace oriel::tools {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return out;
}

/// The words of one line, and one more than any line may have, so that garbage shows.
struct Words {
  std::array<std::string_view, 6> word;
  std::size_t count = 0;

  explicit Words(std::string_view line) {
    std::size_t at = 0;
    while (count < word.size()) {
      at = line.find_first_not_of(kSpace, at);
      if (at == std::string_view::npos) {
        return;
      }
      const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
      word[count++] = line.substr(at, end - at);
      at = end;
    }
  }
};

/// Walks over a text's lines and counts them.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The next line that is not blank, or nothing.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      const std::string_view line = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      ++number_;
      if (line.find_first_not_of(kSpace) != std::string_view::npos) {
        return line;
      }
    }
    return std::nullopt;
  }
  /// The next line that is neither blank nor a comment, or nothing.
  std::optional<std::string_view> next_data() {
    auto line = next();
    while (line && (*line)[line->find_first_not_of(kSpace)] == '%') {
      line = next();
    }
    return line;
  }
  /// The line read last, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

enum class Field { kReal, kInteger, kPattern };

/// Reads one text. Every method returns the error of the line it stands on.
class Reader {
 public:
  explicit Reader(std::string_view text) : bytes_(text.size()), lines_(text) {}

  Result<CsrMatrix> read() {
    ORIEL_TRY(read_header());
    ORIEL_TRY(read_sizes());
    ORIEL_TRY(read_entries());
    if (symmetric_) {
      mirror();
    }
    if (entries_.size() > CsrMatrix::kMostEntries) {
      return wrong("the matrix has more entries than 32 bits can count");
    }
    return csr_from_entries(size_, std::move(entries_));
  }

 private:
  [[nodiscard]] tl::unexpected<Error> wrong(const std::string& message) const {
    return fail(
        ErrorCode::kInvalidArgument,
        "line " + std::to_string(std::max<std::size_t>(lines_.number(), 1)) + ": " + message);
  }

  Result<void> read_header() {
    const auto line = lines_.next();
    if (!line) {
      return wrong("the file is empty");
    }
    const Words words(*line);
    if (lower(words.word[0]) != "%%matrixmarket") {
      return wrong("not a Matrix Market file: it must begin with %%MatrixMarket");
    }
    if (words.count != 5) {
      return wrong("the header must be: %%MatrixMarket matrix coordinate FIELD SYMMETRY");
    }
    ORIEL_TRY(expect(words.word[1], "object", {"matrix"}));
    ORIEL_TRY(expect(words.word[2], "format", {"coordinate"}));
    ORIEL_TRY(expect(words.word[3], "field", {"real", "integer", "pattern"}));
    ORIEL_TRY(expect(words.word[4], "symmetry", {"general", "symmetric"}));
    const std::string field = lower(words.word[3]);
    field_ = field == "real"      ? Field::kReal
             : field == "integer" ? Field::kInteger
                                  : Field::kPattern;
    symmetric_ = lower(words.word[4]) == "symmetric";
    return {};
  }

  Result<void> expect(std::string_view word,
                      const char* what,
                      std::initializer_list<std::string_view> choices) const {
    const std::string given = lower(word);
    std::string list;
    for (const std::string_view choice : choices) {
      if (given == choice) {
        return {};
      }
      list += (list.empty() ? "" : " or ") + std::string(choice);
    }
    return wrong(std::string(what) + " " + in_quotes(word) + " is not supported, only " + list);
  }

  Result<void> read_sizes() {
    const auto line = lines_.next_data();
    if (!line) {
      return wrong("the file ends before the size line");
    }
    const Words words(*line);
    if (words.count != 3) {
      return wrong("the size line must be three whole numbers: rows, columns, entries");
    }
    std::array<std::uint64_t, 3> sizes{};
    const std::array<const char*, 3> names{"rows", "columns", "entries"};
    const std::array<std::uint64_t, 3> most{
        CsrMatrix::kMostRows, CsrMatrix::kMostRows, CsrMatrix::kMostEntries};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = parse_whole(words.word[i], 0, most[i]);
      if (!number) {
        return wrong("the number of " + std::string(names[i]) + " " + number.error().message);
      }
      sizes[i] = *number;
    }
    return accept_sizes(sizes[0], sizes[1], sizes[2]);
  }

  Result<void> accept_sizes(std::uint64_t rows, std::uint64_t columns, std::uint64_t entries) {
    if (rows != columns) {
      return wrong("the matrix is not square: " + std::to_string(rows) + " rows, " +
                   std::to_string(columns) + " columns");
    }
    if (rows == 0) {
      return wrong("the matrix has no rows");
    }
    // Before anything is allocated: a row without an entry makes the matrix singular, and an entry
    // takes at least "1 1" and the end of its line (with a value "1 1 1").
    if (entries < rows) {
      return wrong("the size line declares " + std::to_string(rows) + " rows but only " +
                   std::to_string(entries) + " entries, so some rows are empty");
    }
    const std::uint64_t least_bytes = field_ == Field::kPattern ? 4 : 6;
    if (entries > (bytes_ + 1) / least_bytes) {
      return wrong("the size line declares " + std::to_string(entries) +
                   " entries, more than a file of " + std::to_string(bytes_) +
                   " bytes can hold: it is truncated or damaged");
    }
    size_ = static_cast<std::uint32_t>(rows);
    declared_ = static_cast<std::size_t>(entries);
    return {};
  }

  Result<void> read_entries() {
    entries_.reserve(symmetric_ ? 2 * declared_ : declared_);
    while (const auto line = lines_.next_data()) {
      if (entries_.size() == declared_) {
        return wrong("more entries than the " + std::to_string(declared_) +
                     " that the size line declares");
      }
      ORIEL_TRY(read_entry(Words(*line)));
    }
    if (entries_.size() < declared_) {
      return wrong("the file ends after " + std::to_string(entries_.size()) + " of " +
                   std::to_string(declared_) + " entries: it is truncated");
    }
    return {};
  }

  Result<void> read_entry(const Words& words) {
    const std::size_t expected = field_ == Field::kPattern ? 2 : 3;
    if (words.count > expected) {
      return wrong("unexpected " + in_quotes(words.word[expected]) + " after the entry");
    }
    if (words.count < expected) {
      return wrong(expected == 2 ? "an entry must be two numbers: row and column"
                                 : "an entry must be three numbers: row, column and value");
    }
    const auto row = index(words.word[0], "row");
    if (!row) {
      return wrong(row.error().message);
    }
    const auto column = index(words.word[1], "column");
    if (!column) {
      return wrong(column.error().message);
    }
    Result<double> value = 1.0;
    if (field_ != Field::kPattern) {
      value = field_ == Field::kReal ? parse_real(words.word[2]) : parse_integer(words.word[2]);
    }
    if (!value) {
      return wrong("value " + value.error().message);
    }
    ORIEL_TRY(note_half(*row, *column));
    entries_.push_back({*row, *column, *value});
    return {};
  }

  [[nodiscard]] Result<std::uint32_t> index(std::string_view word, const char* what) const {
    const auto number = parse_whole(word, 1, size_);
    if (!number) {
      return fail(
          ErrorCode::kInvalidArgument,
          std::string(what) + " " + number.error().message + " (rows and columns count from 1)");
    }
    return static_cast<std::uint32_t>(*number - 1);
  }

  /// A symmetric file holds one half. One that holds both would be doubled by the mirror without a
  /// sound, so it is refused.
  Result<void> note_half(std::uint32_t row, std::uint32_t column) {
    above_ = above_ || row < column;
    below_ = below_ || row > column;
    if (symmetric_ && above_ && below_) {
      return wrong(
          "a symmetric file must hold one half of the matrix, this one has entries both "
          "above and below the diagonal");
    }
    return {};
  }

  void mirror() {
    for (std::size_t i = 0; i < declared_; ++i) {
      const MatrixEntry entry = entries_[i];
      if (entry.row != entry.column) {
        entries_.push_back({entry.column, entry.row, entry.value});
      }
    }
  }

  std::size_t bytes_;
  Lines lines_;
  Field field_ = Field::kReal;
  bool symmetric_ = false;
  std::uint32_t size_ = 0;
  std::size_t declared_ = 0;  // entries, by the size line
  std::vector<MatrixEntry> entries_;
  bool above_ = false;  // an entry above the diagonal was seen
  bool below_ = false;
};

Result<std::string> read_text(const std::filesystem::path& file) {
  const auto wrong = [](std::string message) {
    return fail(ErrorCode::kInvalidArgument, std::move(message));
  };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::status_known(status)) {
    return wrong("can't be looked up: " + error.message());
  }
  if (!std::filesystem::exists(status)) {
    return wrong("no such file");
  }
  if (std::filesystem::is_directory(status)) {
    return wrong("is a folder, not a file");
  }
  if (!std::filesystem::is_regular_file(status)) {
    return wrong("is not a regular file");
  }
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) {
    return wrong("can't be opened for reading");
  }
  std::string text(static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0)), '\0');
  stream.seekg(0);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream) {
    return wrong("can't be read");
  }
  return text;
}

}  // namespace

Result<CsrMatrix> parse_matrix_market(std::string_view text) {
  return Reader(text).read();
}

Result<CsrMatrix> read_matrix_market(const std::filesystem::path& file) {
  const auto in_file = [&file](Error error) {
    error.message = file.string() + ": " + error.message;
    return fail(std::move(error));
  };
  auto text = read_text(file);
  if (!text) {
    return in_file(std::move(text.error()));
  }
  auto matrix = parse_matrix_market(*text);
  if (!matrix) {
    return in_file(std::move(matrix.error()));
  }
  return matrix;
}

}  // namespace oriel::tools
