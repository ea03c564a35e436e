// What the Matrix Market reader takes, and how it refuses everything else: with one sentence that
// names the line, before it allocates what a lying size line asks for.
#include "matrix_market.hpp"

#include "support/catch.hpp"
#include "temporary_folder.hpp"

#include <clocale>
#include <string>
#include <vector>

namespace oriel::tools {
namespace {

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

using Offsets = std::vector<std::uint32_t>;
using Values = std::vector<double>;

CsrMatrix parsed(const std::string& text) {
  auto matrix = parse_matrix_market(text);
  INFO((matrix ? std::string() : matrix.error().message));
  REQUIRE(matrix.has_value());
  return *matrix;
}

/// The error's message; the text must be refused.
std::string refusal(const std::string& text) {
  const auto matrix = parse_matrix_market(text);
  REQUIRE_FALSE(matrix.has_value());
  CHECK(matrix.error().code == ErrorCode::kInvalidArgument);
  CHECK(matrix.error().message.find('\n') == std::string::npos);
  return matrix.error().message;
}

void check_refused(const std::string& text, const std::string& line, const std::string& reason) {
  const std::string message = refusal(text);
  INFO(message);
  CHECK(message.rfind("line " + line + ": ", 0) == 0);
  CHECK(message.find(reason) != std::string::npos);
}

TEST_CASE("the entries of a general file become compressed rows, sorted") {
  const CsrMatrix matrix = parsed(kGeneral + "2 2 4\n2 2 4\n1 2 2.5\n2 1 -3e0\n1 1 +1\n");
  CHECK(matrix.size == 2);
  CHECK(matrix.rows == Offsets{0, 2, 4});
  CHECK(matrix.columns == Offsets{0, 1, 0, 1});
  CHECK(matrix.values == Values{1, 2.5, -3, 4});
}

TEST_CASE("a symmetric file is mirrored, its diagonal is not") {
  const CsrMatrix matrix = parsed(kSymmetric + "3 3 4\n1 1 2\n2 2 2\n3 3 2\n3 1 -1\n");
  CHECK(matrix.rows == Offsets{0, 2, 3, 5});
  CHECK(matrix.columns == Offsets{0, 2, 1, 0, 2});
  CHECK(matrix.values == Values{2, -1, 2, -1, 2});
}

TEST_CASE("the upper half of a symmetric file serves as well as the lower") {
  CHECK(parsed(kSymmetric + "2 2 3\n1 1 2\n2 2 2\n1 2 -1\n").values ==
        parsed(kSymmetric + "2 2 3\n1 1 2\n2 2 2\n2 1 -1\n").values);
}

TEST_CASE("a symmetric file that holds both halves is refused, for it would be doubled") {
  check_refused(kSymmetric + "2 2 4\n1 1 2\n2 2 2\n1 2 -1\n2 1 -1\n", "6", "one half");
}

TEST_CASE("duplicates are added up in the order of the file") {
  const CsrMatrix matrix = parsed(kGeneral + "2 2 4\n1 1 1\n2 2 5\n1 1 0.25\n1 1 -3\n");
  CHECK(matrix.rows == Offsets{0, 1, 2});
  CHECK(matrix.values == Values{-1.75, 5});
}

TEST_CASE("the entries of a pattern file are ones") {
  const CsrMatrix matrix =
      parsed("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n1 1\n2 1\n2 2");
  CHECK(matrix.values == Values{1, 1, 1, 1});
}

TEST_CASE("an integer file holds whole numbers only") {
  const std::string header = "%%MatrixMarket matrix coordinate integer general\n";
  CHECK(parsed(header + "1 1 1\n1 1 -7\n").values == Values{-7});
  check_refused(header + "1 1 1\n1 1 1.5\n", "3", "not a whole number");
  check_refused(header + "1 1 1\n1 1 99999999999999999999\n", "3", "out of range");
}

TEST_CASE("comments, blank lines, tabs and line ends of any kind may stand anywhere") {
  const CsrMatrix matrix = parsed(
      "%%MatrixMarket MATRIX Coordinate REAL General\r\n% one\r\n\r\n2\t2 2\r\n%two\n \t\n"
      "  1 1 1 \n\n  % three\n2 2 2\n% four\n\n");
  CHECK(matrix.values == Values{1, 2});
}

TEST_CASE("the header may be written in either case") {
  CHECK(parsed("%%MATRIXMARKET MATRIX COORDINATE REAL SYMMETRIC\n1 1 1\n1 1 2\n").size == 1);
  CHECK(parsed("%%matrixmarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n").size == 1);
}

TEST_CASE("a value too small for a double is zero, one too large is refused") {
  CHECK(parsed(kGeneral + "1 1 1\n1 1 1e-999\n").values == Values{0});
  check_refused(kGeneral + "1 1 1\n1 1 1e999\n", "3", "out of range");
  CHECK(refusal(kGeneral + "1 1 2\n1 1 1e308\n1 1 1.7e308\n").find("add up") != std::string::npos);
}

TEST_CASE("a file without the Matrix Market header is refused") {
  check_refused("", "1", "empty");
  check_refused("\n\n", "2", "empty");
  check_refused("1 1 1\n1 1 2\n", "1", "%%MatrixMarket");
  check_refused(std::string("\x7F"
                            "ELF\0\1\2",
                            7),
                "1",
                "%%MatrixMarket");
  check_refused("%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 2\n", "1", "header");
}

TEST_CASE("kinds of matrix that are not supported are refused by name") {
  const std::string rest = "\n1 1 1\n1 1 2\n";
  check_refused("%%MatrixMarket matrix array real general" + rest, "1", "'array'");
  check_refused("%%MatrixMarket vector coordinate real general" + rest, "1", "'vector'");
  check_refused("%%MatrixMarket matrix coordinate complex general" + rest, "1", "'complex'");
  check_refused("%%MatrixMarket matrix coordinate real hermitian" + rest, "1", "'hermitian'");
  check_refused(
      "%%MatrixMarket matrix coordinate real skew-symmetric" + rest, "1", "'skew-symmetric'");
}

TEST_CASE("a truncated file is refused, wherever it ends") {
  check_refused(kGeneral, "1", "before the size line");
  check_refused(kGeneral + "2 2\n", "2", "three whole numbers");
  check_refused(kGeneral + "2 2 3\n1 1 1.000\n2 2 1.000\n", "4", "after 2 of 3 entries");
  check_refused(kGeneral + "2 2 2\n1 1 1.000\n2 2", "4", "three numbers");
}

TEST_CASE("more entries than declared are refused") {
  check_refused(kGeneral + "1 1 1\n1 1 1\n1 1 1\n", "4", "more entries than the 1");
}

TEST_CASE("garbage is refused, at the end of a line and in place of a number") {
  check_refused(kGeneral + "1 1 1 1\n1 1 1\n", "2", "three whole numbers");
  check_refused(kGeneral + "1 1 1\n1 1 1 x\n", "3", "unexpected 'x'");
  check_refused(kGeneral + "1 1 1\n1 1 1x\n", "3", "'1x' is not a number");
  check_refused(kGeneral + "1 1 1\n1 1 1,5\n", "3", "'1,5' is not a number");
  check_refused(kGeneral + "1 1 1\n1 one 1\n", "3", "'one' is not a whole number");
  check_refused(kGeneral + "1 1 1\n1.0 1 1\n", "3", "'1.0' is not a whole number");
}

TEST_CASE("values that are not finite are refused") {
  for (const char* value : {"nan", "NaN", "inf", "-inf", "Infinity"}) {
    check_refused(kGeneral + "1 1 1\n1 1 " + value + "\n", "3", "not a finite number");
  }
}

TEST_CASE("an index of zero, below it, or beyond the size is refused") {
  check_refused(kGeneral + "2 2 2\n0 1 1.0\n2 2 1.0\n", "3", "row '0' is too small");
  check_refused(kGeneral + "2 2 2\n1 3 1.0\n2 2 1.0\n", "3", "column '3' is too large");
  check_refused(kGeneral + "2 2 2\n-1 1 1.0\n2 2 1.0\n", "3", "row '-1' is negative");
  check_refused(kGeneral + "2 2 2\n18446744073709551617 1 1\n2 2 1\n", "3", "too large");
}

TEST_CASE("a matrix that isn't square, or has no rows, is refused") {
  check_refused(kGeneral + "2 3 2\n1 1 1\n2 2 1\n", "2", "not square: 2 rows, 3 columns");
  check_refused(kGeneral + "0 0 0\n", "2", "no rows");
}

TEST_CASE("sizes that overflow or that the file can't hold are refused before allocation") {
  const std::string entry = "1 1 1\n";
  check_refused(
      kGeneral + "18446744073709551615 18446744073709551615 1\n" + entry, "2", "too large");
  check_refused(kGeneral + "18446744073709551616 1 1\n" + entry, "2", "too large");
  check_refused(kGeneral + "1 1 18446744073709551615\n" + entry, "2", "too large");
  check_refused(kGeneral + "4294967295 4294967295 1\n" + entry, "2", "too large");
  check_refused(kGeneral + "4000000000 4000000000 1\n" + entry, "2", "some rows are empty");
  check_refused(kGeneral + "4000000000 4000000000 4000000000\n" + entry, "2", "can hold");
  check_refused(kGeneral + "-1 -1 1\n" + entry, "2", "'-1' is negative");
}

TEST_CASE("a file that isn't there, or is no file, is refused by name") {
  const test::TemporaryFolder folder;
  const auto missing = read_matrix_market(folder.path() / "missing.mtx");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().message.find("missing.mtx: no such file") != std::string::npos);
  const auto a_folder = read_matrix_market(folder.path());
  REQUIRE_FALSE(a_folder.has_value());
  CHECK(a_folder.error().message.find("is a folder") != std::string::npos);
  const auto device = read_matrix_market("/dev/zero");
  REQUIRE_FALSE(device.has_value());
  CHECK(device.error().message.find("not a regular file") != std::string::npos);
}

TEST_CASE("an error in a file names the file and the line") {
  const test::TemporaryFolder folder;
  const auto matrix = read_matrix_market(folder.file("bad.mtx", kGeneral + "1 1 1\n1 1 x\n"));
  REQUIRE_FALSE(matrix.has_value());
  CHECK(matrix.error().message.find("bad.mtx: line 3: ") != std::string::npos);
}

TEST_CASE("numbers are read the same in every locale") {
  const char* before = std::setlocale(LC_ALL, nullptr);
  const std::string saved = before == nullptr ? "C" : before;
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // has a decimal comma, where it is installed
  CHECK(parsed(kGeneral + "1 1 1\n1 1 1.5\n").values == Values{1.5});
  std::setlocale(LC_ALL, saved.c_str());
}

}  // namespace
}  // namespace oriel::tools
