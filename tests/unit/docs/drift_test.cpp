// The pages can't drift from what is tested: what they show in blocks of code is looked up in the
// sources.
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace oriel::docs {
namespace {

std::string read_file(const std::string& name) {
  std::ifstream file(std::string(ORIEL_SOURCE_FOLDER) + "/" + name);
  INFO("reading " << name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The blocks of a page that are fenced as `language`, each with a line end after each line.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line.rfind("```", 0) == 0) {
      inside = line == "```" + language;
      if (inside) {
        found.emplace_back();
      }
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

/// Without the spaces that lines start with, and those that come before comments.
std::string plain(const std::string& code) {
  std::string text;
  for (std::string line : lines_of(code)) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t comment = line.find("//");
    if (comment != std::string::npos && comment > 0) {
      const std::size_t end = line.find_last_not_of(' ', comment - 1) + 1;
      line.erase(end, comment - end);
    }
    text += line + "\n";
  }
  return text;
}

/// What the string literals of a source say: those that stand side by side are one.
std::string spoken(const std::string& source) {
  constexpr char kQuote = '\x01';
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "\\\"") == 0) {
      text += kQuote;
      ++i;
      continue;
    }
    const std::size_t next = source.find_first_not_of(" \n", i + 1);
    if (source[i] == '"' && next != std::string::npos && source[next] == '"') {
      i = next;
      continue;
    }
    text += source[i];
  }
  for (char& c : text) {
    c = c == kQuote ? '"' : c;
  }
  return text;
}

TEST_CASE("every error that docs/windows.md shows is asserted by a test") {
  const std::string tests = spoken(read_file("tests/unit/docs/windows_test.cpp"));
  std::size_t shown = 0;
  for (const std::string& block : blocks(read_file("docs/windows.md"), "text")) {
    for (const std::string& line : lines_of(block)) {
      INFO(line);
      CHECK(tests.find("\"" + line + "\"") != std::string::npos);
      ++shown;
    }
  }
  CHECK(shown > 30);
}

TEST_CASE("every snippet of docs/windows.md is run by a test") {
  const std::string tests = plain(read_file("tests/unit/docs/windows_test.cpp"));
  std::size_t shown = 0;
  for (const std::string& block : blocks(read_file("docs/windows.md"), "cpp")) {
    INFO(block);
    CHECK(tests.find("\n" + plain(block)) != std::string::npos);
    ++shown;
  }
  CHECK(shown > 25);
}

TEST_CASE("the program in README.md is the example") {
  const std::string readme = read_file("README.md");
  REQUIRE(blocks(readme, "cpp").size() == 1);
  CHECK(blocks(readme, "cpp")[0] == read_file("examples/quickstart.cpp"));
  REQUIRE(blocks(readme, "c").size() == 1);
  CHECK(blocks(readme, "c")[0] == read_file("examples/axpy.kernel.c"));
}

TEST_CASE("the drift tests find what is not there") {
  CHECK(spoken("a \"one \"\n  \"two \\\"three\\\"\"") == "a \"one two \"three\"\"");
  CHECK(plain("  f();   // why\n") == "f();// why\n");
  CHECK(blocks("```cpp\na\n```\n```text\nb\n```\n", "text") == std::vector<std::string>{"b\n"});
}

}  // namespace
}  // namespace oriel::docs
