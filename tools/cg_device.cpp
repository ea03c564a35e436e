#include "cg_device.hpp"

#include "cg_double_kernels.hpp"
#include "cg_float_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>

namespace oriel::tools {
namespace {

constexpr std::uint32_t kGroup = 256;
/// A dot product is summed by at most so many items, of at least so many elements each: enough to
/// fill a device, few enough for one item to add up.
constexpr std::uint32_t kMostPieces = 1024;
constexpr std::uint32_t kLeastPiece = 16;

template <class Real>
std::vector<Real> narrow(std::span<const double> wide) {
  std::vector<Real> out(wide.size());
  std::transform(
      wide.begin(), wide.end(), out.begin(), [](double value) { return static_cast<Real>(value); });
  return out;
}

template <class Real>
Result<std::vector<Real>> inverses(std::span<const double> diagonal) {
  std::vector<Real> out(diagonal.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = Real(1) / static_cast<Real>(diagonal[i]);
    if (!std::isfinite(out[i])) {
      return fail(ErrorCode::kInvalidArgument,
                  "diagonal element " + std::to_string(i + 1) +
                      " is too small beside the largest entry to be inverted in " +
                      (sizeof(Real) == 4 ? "single" : "double") + " precision");
    }
  }
  return out;
}

template <class T>
Result<void> make(const Stream& stream, Buffer<T>& to, std::size_t count, const char* label) {
  auto buffer = stream.allocate<T>(count, label);
  if (!buffer) {
    return fail(std::move(buffer.error()));
  }
  to = std::move(*buffer);
  return {};
}

/// Sets every element. An upload, for many devices fill no pattern of eight bytes.
template <class T>
Result<void> set(const Stream& stream, const Buffer<T>& buffer, T value) {
  return stream.upload(buffer, std::vector<T>(buffer.size(), value));
}

}  // namespace

template <class Real>
Result<CgDevice<Real>> CgDevice<Real>::create(const Runtime& runtime,
                                              const Stream& stream,
                                              const CsrMatrix& matrix,
                                              std::span<const double> diagonal) {
  CgDevice device;
  device.n_ = matrix.size;
  device.piece_ = std::max(kLeastPiece, (matrix.size - 1) / kMostPieces + 1);
  device.pieces_ = (matrix.size - 1) / device.piece_ + 1;
  device.group_ = std::min(kGroup, runtime.capabilities().max_group_items);
  ORIEL_TRY(device.load(runtime));
  ORIEL_TRY(device.allocate(stream, matrix.entries()));
  ORIEL_TRY(device.upload(stream, matrix, diagonal));
  return device;
}

template <class Real>
Result<void> CgDevice<Real>::load(const Runtime& runtime) {
  constexpr bool is_float = std::is_same_v<Real, float>;
  auto module = runtime.load(is_float ? cg_float_kernels::bundle() : cg_double_kernels::bundle());
  if (!module) {
    return fail(std::move(module.error()));
  }
  constexpr std::array<const char*, kKernels> kNames{"cg_multiply",
                                                     "cg_dot",
                                                     "cg_dots",
                                                     "cg_step_length",
                                                     "cg_add",
                                                     "cg_subtract",
                                                     "cg_precondition",
                                                     "cg_direction",
                                                     "cg_turn"};
  for (const char* name : kNames) {
    auto kernel = module->kernel(std::string(name) + (is_float ? "_float" : "_double"));
    if (!kernel) {
      return fail(std::move(kernel.error()));
    }
    kernels_.push_back(std::move(*kernel));
  }
  return {};
}

template <class Real>
Result<void> CgDevice<Real>::allocate(const Stream& stream, std::size_t entries) {
  ORIEL_TRY(make(stream, values_, entries, "values"));
  ORIEL_TRY(make(stream, columns_, entries, "columns"));
  ORIEL_TRY(make(stream, rows_, std::size_t{n_} + 1, "rows"));
  ORIEL_TRY(make(stream, inverse_diagonal_, n_, "inverse_diagonal"));
  ORIEL_TRY(make(stream, x_, n_, "x"));
  ORIEL_TRY(make(stream, r_, n_, "r"));
  ORIEL_TRY(make(stream, z_, n_, "z"));
  ORIEL_TRY(make(stream, p_, n_, "p"));
  ORIEL_TRY(make(stream, q_, n_, "q"));
  ORIEL_TRY(make(stream, partials_, pieces_, "partials"));
  ORIEL_TRY(make(stream, partials_rr_, pieces_, "partials_rr"));
  ORIEL_TRY(make(stream, rho_, 1, "rho"));
  ORIEL_TRY(make(stream, alpha_, 1, "alpha"));
  ORIEL_TRY(make(stream, beta_, 1, "beta"));
  ORIEL_TRY(make(stream, rr_, 1, "rr"));
  return make(stream, curvature_, 1, "curvature");
}

template <class Real>
Result<void> CgDevice<Real>::upload(const Stream& stream,
                                    const CsrMatrix& matrix,
                                    std::span<const double> diagonal) const {
  auto inverse = inverses<Real>(diagonal);
  if (!inverse) {
    return fail(std::move(inverse.error()));
  }
  ORIEL_TRY(stream.upload(inverse_diagonal_, *inverse));
  ORIEL_TRY(stream.upload(values_, narrow<Real>(matrix.values)));
  ORIEL_TRY(stream.upload(columns_, matrix.columns));
  return stream.upload(rows_, matrix.rows);
}

template <class Real>
Result<void> CgDevice<Real>::start(const Stream& stream, std::span<const double> rhs) const {
  ORIEL_TRY(set(stream, x_, Real(0)));
  return restart(stream, rhs);
}

template <class Real>
Result<void> CgDevice<Real>::restart(const Stream& stream, std::span<const double> residual) const {
  ORIEL_TRY(stream.upload(r_, narrow<Real>(residual)));
  ORIEL_TRY(set(stream, curvature_, Real(1)));
  // With rho = 0 the direction kernel gives beta = 0, and the turn p = z.
  ORIEL_TRY(set(stream, rho_, Real(0)));
  ORIEL_TRY(set(stream, p_, Real(0)));
  ORIEL_TRY(precondition(stream));
  return turn(stream);
}

template <class Real>
Result<void> CgDevice<Real>::iterate(const Stream& stream) const {
  ORIEL_TRY(multiply_and_step(stream));
  ORIEL_TRY(precondition(stream));
  return turn(stream);
}

template <class Real>
Result<void> CgDevice<Real>::multiply_and_step(const Stream& stream) const {
  ORIEL_TRY(stream.launch(
      kernels_[kMultiply], over(n_), in(values_), in(columns_), in(rows_), in(p_), out(q_), n_));
  ORIEL_TRY(stream.launch(
      kernels_[kDot], over(pieces_), in(p_), in(q_), out(partials_), n_, piece_, pieces_));
  ORIEL_TRY(stream.launch(kernels_[kStepLength],
                          over(1),
                          in(partials_),
                          in(rho_),
                          inout(curvature_),
                          out(alpha_),
                          pieces_));
  ORIEL_TRY(stream.launch(kernels_[kAdd], over(n_), in(alpha_), in(p_), inout(x_), n_));
  return stream.launch(kernels_[kSubtract], over(n_), in(alpha_), in(q_), inout(r_), n_);
}

template <class Real>
Result<void> CgDevice<Real>::precondition(const Stream& stream) const {
  return stream.launch(
      kernels_[kPrecondition], over(n_), in(inverse_diagonal_), in(r_), out(z_), n_);
}

template <class Real>
Result<void> CgDevice<Real>::turn(const Stream& stream) const {
  ORIEL_TRY(stream.launch(kernels_[kDots],
                          over(pieces_),
                          in(r_),
                          in(z_),
                          out(partials_),
                          out(partials_rr_),
                          n_,
                          piece_,
                          pieces_));
  ORIEL_TRY(stream.launch(kernels_[kDirection],
                          over(1),
                          in(partials_),
                          in(partials_rr_),
                          inout(rho_),
                          out(beta_),
                          out(rr_),
                          pieces_));
  return stream.launch(kernels_[kTurn], over(n_), in(beta_), in(z_), inout(p_), n_);
}

template <class Real>
LaunchConfig CgDevice<Real>::over(std::uint32_t items) const {
  const std::uint32_t group = std::min(group_, items);
  return {.grid = (items - 1) / group + 1, .group = group, .label = {}};
}

template <class Real>
Result<CgStatus> CgDevice<Real>::status(const Stream& stream) const {
  Real rr = 0;
  Real curvature = 0;
  ORIEL_TRY(stream.download(std::span<Real>(&rr, 1), rr_));
  ORIEL_TRY(stream.download(std::span<Real>(&curvature, 1), curvature_));
  return CgStatus{std::sqrt(static_cast<double>(rr)), static_cast<double>(curvature)};
}

template <class Real>
Result<std::vector<double>> CgDevice<Real>::solution(const Stream& stream) const {
  auto x = stream.read(x_);
  if (!x) {
    return fail(std::move(x.error()));
  }
  return std::vector<double>(x->begin(), x->end());
}

template class CgDevice<float>;
template class CgDevice<double>;

}  // namespace oriel::tools
