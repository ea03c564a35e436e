// Runs the test cases linked into a program, without showing Catch2's session: version 2 offers
// that type only to the file that compiles its whole implementation.
#pragma once

#include <string>
#include <vector>

namespace oriel::test {

// Takes Catch2's command line. Returns its exit status: 0 when every test case passed.
int run_catch(int argc, const char* const* argv);

// Runs what a filter in Catch2's syntax picks, or all if it is empty. Listeners report; Catch2's
// own reporter is silent.
void run_quietly(const std::string& filter);

// The names of the test cases that a filter in Catch2's syntax picks, in their order; of all if it
// is empty. None too if the filter can't be read.
std::vector<std::string> test_names(const std::string& filter);

}  // namespace oriel::test
