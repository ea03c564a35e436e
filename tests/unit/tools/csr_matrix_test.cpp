// The checks that stand between a file's matrix and the solver, and what scaling keeps.
#include "csr_matrix.hpp"

#include "cg_system.hpp"
#include "poisson_matrix.hpp"
#include "support/catch.hpp"

#include <limits>

namespace oriel::tools {
namespace {

using Values = std::vector<double>;

CsrMatrix matrix_of(std::uint32_t size, std::vector<MatrixEntry> entries) {
  auto matrix = csr_from_entries(size, std::move(entries));
  REQUIRE(matrix.has_value());
  return *matrix;
}

Failure refusal(CsrMatrix matrix) {
  const auto system = make_cg_system(std::move(matrix), "it");
  REQUIRE_FALSE(system.has_value());
  return system.error();
}

TEST_CASE("a matrix is symmetric only if its values are so exactly") {
  CHECK(check_symmetric(matrix_of(2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 1}})));
  const double nearly = 2 + 4 * std::numeric_limits<double>::epsilon();
  const auto differs =
      check_symmetric(matrix_of(2, {{0, 0, 1}, {0, 1, 2}, {1, 0, nearly}, {1, 1, 1}}));
  REQUIRE_FALSE(differs.has_value());
  CHECK(differs.error().message.find("(1, 2) differs from entry (2, 1)") != std::string::npos);
}

TEST_CASE("an entry without a mirror is not symmetric, unless it is zero") {
  CHECK_FALSE(check_symmetric(matrix_of(2, {{0, 0, 1}, {1, 0, 2}, {1, 1, 1}})));
  CHECK_FALSE(check_symmetric(matrix_of(2, {{0, 0, 1}, {0, 1, 2}, {1, 1, 1}})));
  CHECK(check_symmetric(matrix_of(2, {{0, 0, 1}, {1, 0, 0}, {1, 1, 1}})));
}

TEST_CASE("a diagonal element that is missing, zero or negative is bad input, named by its place") {
  const auto message = [](std::vector<MatrixEntry> entries) {
    const Failure failure = refusal(matrix_of(2, std::move(entries)));
    CHECK(failure.exit == ExitCode::kUsage);
    return failure.message;
  };
  CHECK(message({{0, 0, 1}}).find("(2, 2) is missing") != std::string::npos);
  CHECK(message({{0, 0, 0}, {1, 1, 1}}).find("(1, 1) is zero") != std::string::npos);
  CHECK(message({{0, 0, 1}, {1, 1, -3}}).find("(2, 2) is negative") != std::string::npos);
}

TEST_CASE("a matrix that maps the known solution to zero is refused as singular") {
  const Failure failure = refusal(matrix_of(2, {{0, 0, 64}, {0, 1, -56}, {1, 0, -56}, {1, 1, 49}}));
  CHECK(failure.exit == ExitCode::kCheckFailed);
  CHECK(failure.message.find("singular") != std::string::npos);
}

TEST_CASE("a singular matrix whose system has a solution is not refused") {
  CHECK(make_cg_system(matrix_of(2, {{0, 0, 1}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1}}), "it"));
}

TEST_CASE("scaling is by a power of two, so that no bit of a value is lost") {
  CsrMatrix matrix = matrix_of(2, {{0, 0, 0.1e200}, {1, 1, 3e200}});
  const CsrMatrix before = matrix;
  normalise(matrix);
  CHECK(matrix.values[1] >= 1);
  CHECK(matrix.values[1] < 2);
  CHECK(matrix.values[0] / matrix.values[1] == before.values[0] / before.values[1]);
}

TEST_CASE("matrices of very large and of very small values make a system") {
  for (const double value : {1e308, 1e-300}) {
    const auto system = make_cg_system(matrix_of(1, {{0, 0, value}}), "it");
    REQUIRE(system.has_value());
    CHECK(system->rhs_norm >= 1);
  }
}

TEST_CASE("the Poisson matrix has the five-point stencil and is symmetric") {
  const CsrMatrix matrix = poisson_matrix(3);
  CHECK(matrix.size == 9);
  CHECK(matrix.entries() == poisson_entries(3));
  CHECK(check_symmetric(matrix));
  CHECK(multiply(matrix, Values(9, 1.0)) == Values{2, 1, 2, 1, 0, 1, 2, 1, 2});
  CHECK(poisson_matrix(1).values == Values{4});
}

TEST_CASE("the true residual is b - A x") {
  const auto system = make_cg_system(poisson_matrix(2), "it");
  REQUIRE(system.has_value());
  CHECK(norm(true_residual(*system, Values{1, 1 + 1.0 / 7, 1 + 2.0 / 7, 1 + 3.0 / 7})) == 0);
  CHECK(true_residual(*system, Values(4, 0.0)) == system->rhs);
}

}  // namespace
}  // namespace oriel::tools
