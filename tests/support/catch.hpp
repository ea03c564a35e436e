// Catch2, whichever major version is installed: the one header test code includes for it.
#pragma once

#ifdef ORIEL_CATCH_V2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
#endif
