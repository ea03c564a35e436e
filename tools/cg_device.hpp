#pragma once

#include "csr_matrix.hpp"

#include <oriel/oriel.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace oriel::tools {

/// What the host reads between iterations.
struct CgStatus {
  double residual_norm = 0;  ///< ||r|| of the recurrence.
  double curvature = 1;      ///< The first p'Ap that was not positive and finite, else 1.
};

/// Conjugate gradients with Jacobi preconditioning on one device, in one precision: the matrix, the
/// vectors and the scalars. Everything that an iteration needs lies on the device and stays where
/// it is, so an iteration recorded once is good for every solve.
template <class Real>
class CgDevice {
 public:
  /// Puts the matrix there. Errors: `invalid_argument` (a diagonal element has no inverse in this
  /// precision), and those of allocation and loading.
  [[nodiscard]] static Result<CgDevice> create(const Runtime& runtime,
                                               const Stream& stream,
                                               const CsrMatrix& matrix,
                                               std::span<const double> diagonal);

  /// x = 0, and the search restarted from the residual b.
  [[nodiscard]] Result<void> start(const Stream& stream, std::span<const double> rhs) const;
  /// Keeps x and restarts the search from `residual`, which the caller computed afresh.
  [[nodiscard]] Result<void> restart(const Stream& stream, std::span<const double> residual) const;
  /// One iteration: kLaunches launches and nothing else. This is what a window records.
  [[nodiscard]] Result<void> iterate(const Stream& stream) const;
  static constexpr std::size_t kLaunches = 9;

  /// Waits for the stream.
  [[nodiscard]] Result<CgStatus> status(const Stream& stream) const;
  [[nodiscard]] Result<std::vector<double>> solution(const Stream& stream) const;

 private:
  enum KernelIndex {
    kMultiply,
    kDot,
    kDots,
    kStepLength,
    kAdd,
    kSubtract,
    kPrecondition,
    kDirection,
    kTurn,
    kKernels
  };

  CgDevice() = default;
  [[nodiscard]] Result<void> load(const Runtime& runtime);
  [[nodiscard]] Result<void> allocate(const Stream& stream, std::size_t entries);
  [[nodiscard]] Result<void> upload(const Stream& stream,
                                    const CsrMatrix& matrix,
                                    std::span<const double> diagonal) const;
  [[nodiscard]] Result<void> precondition(const Stream& stream) const;
  [[nodiscard]] Result<void> multiply_and_step(const Stream& stream) const;
  [[nodiscard]] Result<void> turn(const Stream& stream) const;
  [[nodiscard]] LaunchConfig over(std::uint32_t items) const;

  std::vector<Kernel> kernels_;  // by KernelIndex
  std::uint32_t n_ = 0;
  std::uint32_t piece_ = 1;   // elements that one item of a dot product sums
  std::uint32_t pieces_ = 1;  // ceil(n_ / piece_)
  std::uint32_t group_ = 1;
  Buffer<Real> values_, inverse_diagonal_, x_, r_, z_, p_, q_;
  Buffer<std::uint32_t> columns_, rows_;
  Buffer<Real> partials_, partials_rr_;
  Buffer<Real> rho_, alpha_, beta_, rr_, curvature_;  // one element each
};

extern template class CgDevice<float>;
extern template class CgDevice<double>;

}  // namespace oriel::tools
