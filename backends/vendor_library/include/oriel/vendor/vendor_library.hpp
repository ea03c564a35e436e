#pragma once

#include <oriel/error.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::vendor {

/// A vendor's shared library, opened at run time and never linked, so that programs start without
/// it.
///
/// Invariant: once opened it stays so for the life of the process; vendors' libraries don't survive
/// being closed.
class VendorLibrary {
 public:
  /// Opens the file that the environment variable gives, which must be an absolute path, or else
  /// the first of `names` that the loader finds. Symbols are bound at once and stay local to it.
  /// Error: `unavailable`, saying where it was looked for.
  [[nodiscard]] static Result<VendorLibrary> open(const char* variable,
                                                  std::span<const char* const> names);

  /// The symbol of exactly this name, null if there is none.
  [[nodiscard]] void* find(const char* symbol) const noexcept;
  /// The path or name that it was opened by.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  VendorLibrary(void* handle, std::string name) noexcept
      : handle_(handle), name_(std::move(name)) {}

  void* handle_;
  std::string name_;
};

/// Fills a typed table of a library's functions, all of them before it judges, so that everything
/// that is missing is named at once.
class SymbolTable {
 public:
  explicit SymbolTable(const VendorLibrary& library) noexcept : library_(library) {}

  /// Without this function the backend can't work.
  template <class Function>
  void require(Function*& function, const char* symbol) {
    function = look_up<Function>(symbol);
    if (function == nullptr) {
      missing_.emplace_back(symbol);
    }
  }
  /// A feature that is off without this function, which is null then.
  template <class Function>
  void prefer(Function*& function, const char* symbol) {
    function = look_up<Function>(symbol);
  }

  /// What was required and is not there, in the order of the questions.
  [[nodiscard]] const std::vector<std::string>& missing() const noexcept { return missing_; }

 private:
  template <class Function>
  [[nodiscard]] Function* look_up(const char* symbol) const noexcept {
    return reinterpret_cast<Function*>(library_.find(symbol));
  }

  const VendorLibrary& library_;
  std::vector<std::string> missing_;
};

/// "`library` lacks 2 required functions (a, b); <remedy>", as `incompatible`.
[[nodiscard]] Error lacks_functions(const VendorLibrary& library,
                                    const std::vector<std::string>& missing,
                                    std::string_view remedy);

}  // namespace oriel::vendor
