#include <oriel/core/plugin.hpp>

#define ORIEL_TEXT_OF(x) #x
#define ORIEL_TEXT(x) ORIEL_TEXT_OF(x)

#if defined(__SANITIZE_ADDRESS__)
#define ORIEL_BUILD_SANITIZER "+asan"
#elif defined(__SANITIZE_THREAD__)
#define ORIEL_BUILD_SANITIZER "+tsan"
#else
#define ORIEL_BUILD_SANITIZER ""
#endif

namespace oriel::core {

const char* build_tag() noexcept {
  return "oriel-" ORIEL_VERSION " abi" ORIEL_TEXT(_GLIBCXX_USE_CXX11_ABI) "/" ORIEL_TEXT(
      __GXX_ABI_VERSION) " c++" __VERSION__ ORIEL_BUILD_SANITIZER;
}

}  // namespace oriel::core
