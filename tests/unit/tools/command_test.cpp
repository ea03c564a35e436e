// The built `oriel` command from outside: exit statuses, one line of error, one object of JSON.
#include "run_program.hpp"
#include "support/catch.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace oriel::tools::test {
namespace {

using nlohmann::json;

Ran oriel(std::vector<std::string> arguments) {
  return run_program(ORIEL_COMMAND, std::move(arguments));
}

/// Runs it with --json; standard output must be one object and nothing else.
json oriel_json(std::vector<std::string> arguments, int status) {
  arguments.emplace_back("--json");
  const Ran ran = oriel(std::move(arguments));
  INFO(ran.err << ran.out);
  CHECK(ran.status == status);
  json object = json::parse(ran.out, nullptr, false);
  REQUIRE(object.is_object());
  return object;
}

/// It must fail with `status` and one line on standard error that holds `reason`.
void check_fails(std::vector<std::string> arguments, int status, const std::string& reason) {
  const Ran ran = oriel(arguments);
  INFO(ran.err << ran.out);
  CHECK(ran.status == status);
  CHECK(ran.err.rfind("oriel: ", 0) == 0);
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  CHECK(ran.err.find(reason) != std::string::npos);
  // With --json the same, and an object that says so.
  const json object = oriel_json(std::move(arguments), status);
  CHECK(object["ok"] == false);
  CHECK(object["error"]["exit_code"] == status);
}

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

TEST_CASE("oriel --help and --version succeed and say what they are asked") {
  CHECK(oriel({"--version"}).out.rfind("oriel ", 0) == 0);
  CHECK(oriel({"--version"}).status == 0);
  const Ran help = oriel({"run", "cg", "--help"});
  CHECK(help.status == 0);
  CHECK(help.out.find("b = A x*") != std::string::npos);
}

TEST_CASE("oriel devices succeeds without a GPU, and says why a backend is unavailable") {
  const json listed = oriel_json({"devices"}, 0);
  bool host = false;
  for (const json& backend : listed["backends"]) {
    if (backend["available"] == true) {
      CHECK_FALSE(backend["devices"].empty());
    } else {
      CHECK_FALSE(backend["reason"].get<std::string>().empty());
    }
    host = host || (backend["name"] == "host" && backend["available"] == true);
  }
  CHECK(host);
  const Ran text = oriel({"devices"});
  CHECK(text.status == 0);
  CHECK(text.out.find("available") != std::string::npos);
}

TEST_CASE("run cg converges on a Poisson problem, and the eager run agrees to the bit") {
  const json report = oriel_json({"run", "cg", "--poisson", "16"}, 0);
  CHECK(report["ok"] == true);
  CHECK(report["converged"] == true);
  CHECK(report["true_residual"].get<double>() <= 1e-8);
  CHECK(report["bit_identical"] == true);
  CHECK(report["iterations"].get<int>() % 10 == 0);
  CHECK(report["graph"]["nodes"] == 9);
  CHECK(report["graph"]["pinned_device_bytes"].get<std::size_t>() >= 256 * 8 * 6);
  CHECK(report["ratio"].get<double>() > 0);
}

TEST_CASE("run cg converges in single precision to its own tolerance") {
  const json report = oriel_json({"run", "cg", "--poisson", "16", "--precision", "single"}, 0);
  CHECK(report["precision"] == "single");
  CHECK(report["tolerance"] == 1e-4);
  CHECK(report["true_residual"].get<double>() <= 1e-4);
}

TEST_CASE("run cg solves the smallest problem, and one whose residual becomes exactly zero") {
  CHECK(oriel_json({"run", "cg", "--poisson", "1"}, 0)["converged"] == true);
  const TemporaryFolder folder;
  const auto file = folder.file("i.mtx", kSymmetric + "3 3 3\n1 1 1\n2 2 1\n3 3 1\n");
  const json report = oriel_json({"run", "cg", "--matrix", file, "--check-every", "100"}, 0);
  CHECK(report["true_residual"] == 0.0);
}

TEST_CASE("run cg tells on standard output for people and is silent on standard error") {
  const Ran ran = oriel({"run", "cg", "--poisson", "8"});
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.find("bit-identical") != std::string::npos);
}

TEST_CASE("run cg meets --max-iterations exactly, and not converging is a failed check") {
  const std::vector<std::string> limited{
      "run", "cg", "--poisson", "64", "--max-iterations", "7", "--check-every", "5"};
  const json report = oriel_json(limited, 2);
  CHECK(report["iterations"] == 7);
  CHECK(report["converged"] == false);
  CHECK(report["true_residual"].get<double>() > 1e-8);
  check_fails(limited, 2, "not converged after 7 iterations");
}

TEST_CASE("run cg checks the true residual: a tolerance below rounding is never claimed") {
  const json report = oriel_json(
      {"run", "cg", "--poisson", "16", "--tolerance", "1e-25", "--max-iterations", "300"}, 2);
  CHECK(report["iterations"] == 300);
  CHECK(report["restarts"].get<int>() > 0);
}

TEST_CASE("a matrix that is not positive definite breaks down with a clear error") {
  const TemporaryFolder folder;
  const auto file = folder.file("indefinite.mtx", kSymmetric + "2 2 3\n1 1 1\n2 2 1\n2 1 -3\n");
  check_fails({"run", "cg", "--matrix", file}, 2, "not positive definite");
  // Rows of one sum: the constant vector is an eigenvector, of a positive eigenvalue here.
  const auto even = folder.file("even.mtx", kSymmetric + "2 2 3\n1 1 1\n2 2 1\n2 1 2\n");
  check_fails({"run", "cg", "--matrix", even}, 2, "not positive definite");
}

TEST_CASE("every bad matrix file is bad input") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& reason) {
    check_fails({"run", "cg", "--matrix", folder.file("bad.mtx", text)}, 1, reason);
  };
  refused("", "empty");
  refused("%%MatrixMarket matrix array real general\n1 1\n1\n", "array");
  refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "complex");
  refused("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "hermitian");
  refused(kGeneral + "2 3 2\n1 1 1\n2 2 1\n", "not square");
  refused(kGeneral + "2 2 2\n1 1 1.00\n", "truncated");
  refused(kGeneral + "1 1 1\n1 1 1\n1 1 1\n", "more entries");
  refused(kGeneral + "1 1 1\n0 1 1\n", "row '0'");
  refused(kGeneral + "1 1 1\n1 2 1\n", "column '2'");
  refused(kGeneral + "1 1 1\n1 1 nan\n", "finite");
  refused(kGeneral + "1 1 1\n1 1 1 junk\n", "junk");
  refused(kGeneral + "18446744073709551615 18446744073709551615 1\n1 1 1\n", "too large");
  refused(kGeneral + "4000000000 4000000000 4000000000\n1 1 1\n", "can hold");
  refused(kGeneral + "2 2 3\n1 1 1\n2 2 1\n1 2 1\n", "not symmetric");
  refused(kGeneral + "2 2 2\n1 2 1\n2 1 1\n", "(1, 1) is missing");
  refused(kGeneral + "1 1 1\n1 1 0\n", "is zero");
  refused(kGeneral + "1 1 1\n1 1 -1\n", "is negative");
  check_fails({"run", "cg", "--matrix", folder.path().string()}, 1, "folder");
  check_fails({"run", "cg", "--matrix", (folder.path() / "none").string()}, 1, "no such file");
}

TEST_CASE("wrong options are usage errors") {
  check_fails({}, 1, "subcommand");
  check_fails({"run"}, 1, "subcommand");
  check_fails({"fly"}, 1, "'fly'");
  check_fails({"run", "fly"}, 1, "'fly'");
  check_fails({"devices", "--plugin-path", "/usr", "stray"}, 1, "'stray'");
  check_fails({"run", "cg", "--poisson", "4", "--frobnicate"}, 1, "--frobnicate");
  check_fails({"run", "cg"}, 1, "--matrix FILE or --poisson N");
  check_fails({"run", "cg", "--poisson", "4", "--matrix", "x"}, 1, "--matrix");
  check_fails({"run", "cg", "--poisson", "4", "--precision", "half"}, 1, "--precision");
  check_fails({"run", "cg", "--poisson", "4", "--tolerance", "0"}, 1, "--tolerance");
  check_fails({"run", "cg", "--poisson", "4", "--tolerance", "nan"}, 1, "--tolerance");
  check_fails({"run", "cg", "--poisson", "4", "--backend", ""}, 1, "empty");
  check_fails({"run", "cg", "--matrix", ""}, 1, "name of the file is empty");
  check_fails({"run", "cg", "--poisson", "4", "--dot", ""}, 1, "name of the file is empty");
  check_fails({"run", "chain", "--dot", ""}, 1, "name of the file is empty");
  check_fails({"run", "cg", "--poisson", "4", "--plugin-path", "/nowhere/at/all"}, 1, "/nowhere");
}

TEST_CASE("numbers that are negative, zero, huge or no numbers are usage errors, not crashes") {
  for (const char* number : {"-3", "0", "18446744073709551615", "18446744073709551616", "x", ""}) {
    check_fails({"run", "cg", "--poisson", number}, 1, "--poisson");
    check_fails({"run", "cg", "--poisson", "4", "--max-iterations", number}, 1, "--max-iterations");
    check_fails({"run", "cg", "--poisson", "4", "--check-every", number}, 1, "--check-every");
    check_fails({"run", "chain", "--nodes", number}, 1, "--nodes");
    check_fails({"run", "chain", "--steps", number}, 1, "--steps");
    check_fails({"run", "chain", "--width", number}, 1, "--width");
  }
}

TEST_CASE("a backend that isn't there is unavailable") {
  check_fails({"run", "cg", "--poisson", "4", "--backend", "abacus"}, 3, "abacus");
  check_fails({"run", "chain", "--backend", "./no_such_plugin.so"}, 3, "no_such_plugin");
#ifdef ORIEL_HAS_CONFORMANCE
  check_fails({"conformance", "--backend", "abacus"}, 3, "abacus");
#else
  check_fails({"conformance"}, 1, "has no conformance suite");
#endif
}

TEST_CASE("output that can't be written is an error, whatever is printed") {
  std::vector<std::vector<std::string>> commands{{"--help"},
                                                 {"--version"},
                                                 {"devices"},
                                                 {"run", "cg", "--poisson", "4"},
                                                 {"run", "cg", "--poisson", "4", "--json"}};
#ifdef ORIEL_HAS_CONFORMANCE
  commands.push_back({"conformance", "--list"});
  commands.push_back({"conformance", "--filter", "[B01]"});
  commands.push_back({"conformance", "--filter", "[B01]", "--json"});
#endif
  for (const auto& command : commands) {
    CAPTURE(command);
    const Ran ran = run_program(ORIEL_COMMAND, command, "/dev/full");
    CHECK(ran.status == 1);
    CHECK(ran.err == "oriel: can't write to standard output\n");
    std::vector<std::string> closed{"-c", "exec \"$0\" \"$@\" >&-", ORIEL_COMMAND};
    closed.insert(closed.end(), command.begin(), command.end());
    const Ran without = run_program("/bin/sh", closed);
    CHECK(without.status == 1);
    CHECK(without.err == "oriel: can't write to standard output\n");
  }
}

#ifdef ORIEL_HAS_CONFORMANCE
TEST_CASE("a conformance filter picks tests, and one that picks none is a usage error") {
  const json listed = oriel_json({"conformance", "--list", "--filter", "[B01]"}, 0);
  REQUIRE(listed["tests"].size() == 1);
  CHECK(listed["tests"][0]["scenario"] == "B01");
  const Ran names = oriel({"conformance", "--list"});
  CHECK(names.out.find(listed["tests"][0]["name"].get<std::string>() + "\n") != std::string::npos);
  CHECK(oriel_json({"conformance", "--filter", "[B01]"}, 0)["passed"] == 1);
  for (const std::string none :
       {"no such test", "[", "~", "\"", "[nothing]", "-x", "--abort", ","}) {
    CAPTURE(none);
    check_fails({"conformance", "--filter=" + none}, 1, "no test matches '" + none + "'");
    check_fails({"conformance", "--list", "--filter=" + none}, 1, "no test matches");
  }
  check_fails({"conformance", "--filter", ""}, 1, "filter is empty");
}
#endif

TEST_CASE("run chain checks its results and reports times a step and a node") {
  const json report = oriel_json({"run", "chain", "--nodes", "20", "--steps", "50"}, 0);
  CHECK(report["ok"] == true);
  CHECK(report["graph"]["nodes"] == 20);
  CHECK(report["eager_seconds_per_step"].get<double>() > 0);
  CHECK(report["replayed_seconds_per_node"].get<double>() > 0);
  CHECK(oriel({"run", "chain", "--nodes", "1", "--steps", "1", "--width", "1"}).status == 0);
  CHECK(oriel({"run", "chain", "--nodes", "3", "--steps", "7", "--width", "1000"}).status == 0);
}

TEST_CASE("--dot writes the graph, and an unwritable file is an error") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "graph.dot";
  CHECK(oriel({"run", "chain", "--nodes", "3", "--steps", "1", "--dot", file.string()}).status ==
        0);
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CHECK(text.find("digraph") != std::string::npos);
  check_fails({"run", "cg", "--poisson", "4", "--dot", folder.path().string()}, 1, "can't write");
  check_fails({"run", "chain", "--dot", "/nowhere/at/all.dot"}, 1, "can't write");
}

}  // namespace
}  // namespace oriel::tools::test
