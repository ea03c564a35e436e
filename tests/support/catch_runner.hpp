// Runs the test cases linked into a program, without showing Catch2's session: version 2 offers
// that type only to the file that compiles its whole implementation.
#pragma once

namespace oriel::test {

// Takes Catch2's command line. Returns its exit status: 0 when every test case passed.
int run_catch(int argc, const char* const* argv);

}  // namespace oriel::test
