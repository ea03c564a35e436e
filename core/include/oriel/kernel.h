#ifndef ORIEL_KERNEL_H
#define ORIEL_KERNEL_H

/* The common subset of C in which one kernel source serves every backend:
 *
 *   #include <oriel/kernel.h>
 *
 *   ORIEL_KERNEL(axpy, ORIEL_IN(float, x), ORIEL_INOUT(float, y), ORIEL_SCALAR(float, a)) {
 *     size_t i = oriel_global_id(0);
 *     y[i] += a * x[i];
 *   }
 *
 * The same source is compiled as C11 for the host, as CUDA, as HIP and as OpenCL C; see
 * `oriel_add_kernels` in cmake/OrielKernels.cmake. `ORIEL_KERNEL(` starts its line, so that CMake
 * finds the names. A kernel takes at most 32 parameters:
 *
 *   ORIEL_IN(T, name)      const T* name   memory it only reads
 *   ORIEL_OUT(T, name)     T* name         memory it writes
 *   ORIEL_INOUT(T, name)   T* name         memory it reads and writes
 *   ORIEL_SCALAR(T, name)  T name          a value
 *   ORIEL_STRUCT(T, name)  T name          a value of a structure type, the same on all devices
 *
 * T is int8_t .. uint64_t, int, unsigned, float, double, or a structure of these. Pointers may
 * overlap. In the kernel's own body, d a constant from 0 to 2:
 *
 *   oriel_global_id(d)   this item, from 0       oriel_group_size(d)  items in a group
 *   oriel_group_id(d)    its group, from 0       oriel_grid_size(d)   groups in the grid
 *   oriel_local_id(d)    its place in the group
 *
 * Helpers are written `ORIEL_FUNCTION float square(float v) { ... }` and get ids as parameters. The
 * C names of math functions of floats and doubles (sqrtf, sqrt, fmaxf, ...) work everywhere.
 *
 * What is not there: barriers and memory shared by a group. Items may run one after the other, in
 * any order, so no item may wait for another. No recursion, no function pointers, no file-scope
 * variables (use enumerators and macros), no C++. printf is the host's and the devices' own.
 *
 * A header that a kernel and its C++ host code share includes this one for the integer types, since
 * OpenCL C has no <stdint.h>; C++ sees nothing else but the tables that bundles are made of.
 */

/* Macros in columns read better than what clang-format makes of them. */
/* clang-format off */

/* ---- What all modes share: parameters as tuples (kind, type, name), and loops over them. ---- */

#define ORIEL_IN(type, name) (oriel_read_, type, name)
#define ORIEL_OUT(type, name) (oriel_write_, type, name)
#define ORIEL_INOUT(type, name) (oriel_write_, type, name)
#define ORIEL_SCALAR(type, name) (oriel_scalar_, type, name)
#define ORIEL_STRUCT(type, name) (oriel_struct_, type, name)

#define ORIEL_CAT_(a, b) ORIEL_CAT_2_(a, b)
#define ORIEL_CAT_2_(a, b) a##b
#define ORIEL_TEXT_(a) #a
#define ORIEL_FIRST_(...) ORIEL_FIRST_2_(__VA_ARGS__, ~)
#define ORIEL_FIRST_2_(first, ...) first
#define ORIEL_TAIL_(...) ORIEL_TAIL_2_(__VA_ARGS__)
#define ORIEL_TAIL_2_(first, ...) __VA_ARGS__

/* ORIEL_EACH_(m, name, p1, ..., pn) is m p1 ... m pn. */
#define ORIEL_EACH_(m, ...) ORIEL_CAT_(ORIEL_EACH_, ORIEL_COUNT_(__VA_ARGS__))(m, __VA_ARGS__)
#define ORIEL_COUNT_(...) ORIEL_NTH_(__VA_ARGS__, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23,    \
  22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ORIEL_NTH_(p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17,   \
                   p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32,    \
                   p33, n, ...) n
#define ORIEL_EACH_1(m, name)
#define ORIEL_EACH_2(m, name, p) m p
#define ORIEL_EACH_3(m, name, p, ...) m p ORIEL_EACH_2(m, name, __VA_ARGS__)
#define ORIEL_EACH_4(m, name, p, ...) m p ORIEL_EACH_3(m, name, __VA_ARGS__)
#define ORIEL_EACH_5(m, name, p, ...) m p ORIEL_EACH_4(m, name, __VA_ARGS__)
#define ORIEL_EACH_6(m, name, p, ...) m p ORIEL_EACH_5(m, name, __VA_ARGS__)
#define ORIEL_EACH_7(m, name, p, ...) m p ORIEL_EACH_6(m, name, __VA_ARGS__)
#define ORIEL_EACH_8(m, name, p, ...) m p ORIEL_EACH_7(m, name, __VA_ARGS__)
#define ORIEL_EACH_9(m, name, p, ...) m p ORIEL_EACH_8(m, name, __VA_ARGS__)
#define ORIEL_EACH_10(m, name, p, ...) m p ORIEL_EACH_9(m, name, __VA_ARGS__)
#define ORIEL_EACH_11(m, name, p, ...) m p ORIEL_EACH_10(m, name, __VA_ARGS__)
#define ORIEL_EACH_12(m, name, p, ...) m p ORIEL_EACH_11(m, name, __VA_ARGS__)
#define ORIEL_EACH_13(m, name, p, ...) m p ORIEL_EACH_12(m, name, __VA_ARGS__)
#define ORIEL_EACH_14(m, name, p, ...) m p ORIEL_EACH_13(m, name, __VA_ARGS__)
#define ORIEL_EACH_15(m, name, p, ...) m p ORIEL_EACH_14(m, name, __VA_ARGS__)
#define ORIEL_EACH_16(m, name, p, ...) m p ORIEL_EACH_15(m, name, __VA_ARGS__)
#define ORIEL_EACH_17(m, name, p, ...) m p ORIEL_EACH_16(m, name, __VA_ARGS__)
#define ORIEL_EACH_18(m, name, p, ...) m p ORIEL_EACH_17(m, name, __VA_ARGS__)
#define ORIEL_EACH_19(m, name, p, ...) m p ORIEL_EACH_18(m, name, __VA_ARGS__)
#define ORIEL_EACH_20(m, name, p, ...) m p ORIEL_EACH_19(m, name, __VA_ARGS__)
#define ORIEL_EACH_21(m, name, p, ...) m p ORIEL_EACH_20(m, name, __VA_ARGS__)
#define ORIEL_EACH_22(m, name, p, ...) m p ORIEL_EACH_21(m, name, __VA_ARGS__)
#define ORIEL_EACH_23(m, name, p, ...) m p ORIEL_EACH_22(m, name, __VA_ARGS__)
#define ORIEL_EACH_24(m, name, p, ...) m p ORIEL_EACH_23(m, name, __VA_ARGS__)
#define ORIEL_EACH_25(m, name, p, ...) m p ORIEL_EACH_24(m, name, __VA_ARGS__)
#define ORIEL_EACH_26(m, name, p, ...) m p ORIEL_EACH_25(m, name, __VA_ARGS__)
#define ORIEL_EACH_27(m, name, p, ...) m p ORIEL_EACH_26(m, name, __VA_ARGS__)
#define ORIEL_EACH_28(m, name, p, ...) m p ORIEL_EACH_27(m, name, __VA_ARGS__)
#define ORIEL_EACH_29(m, name, p, ...) m p ORIEL_EACH_28(m, name, __VA_ARGS__)
#define ORIEL_EACH_30(m, name, p, ...) m p ORIEL_EACH_29(m, name, __VA_ARGS__)
#define ORIEL_EACH_31(m, name, p, ...) m p ORIEL_EACH_30(m, name, __VA_ARGS__)
#define ORIEL_EACH_32(m, name, p, ...) m p ORIEL_EACH_31(m, name, __VA_ARGS__)
#define ORIEL_EACH_33(m, name, p, ...) m p ORIEL_EACH_32(m, name, __VA_ARGS__)

/* One parameter as it is declared, after a comma; ORIEL_GLOBAL_ is the mode's address space. */
#define ORIEL_COMMA_DECLARE_(kind, type, name) , ORIEL_CAT_(kind, declare_)(type, name)
#define oriel_read_declare_(type, name) ORIEL_GLOBAL_ const type* name
#define oriel_write_declare_(type, name) ORIEL_GLOBAL_ type* name
#define oriel_scalar_declare_(type, name) type name
#define oriel_struct_declare_(type, name) type name

/* A kernel's plain parameter list, for the modes whose compiler makes the kernel. */
#define ORIEL_PARAMETERS_(...) (ORIEL_TAIL_(~ ORIEL_EACH_(ORIEL_COMMA_DECLARE_, __VA_ARGS__)))
#define ORIEL_AXIS_(d, x, y, z) ((d) == 0 ? (x) : (d) == 1 ? (y) : (z))

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_CPP_VERSION__)
/* ---- OpenCL C, for SPIR-V. ---- */

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define ORIEL_GLOBAL_ __global
#define ORIEL_FUNCTION static inline
#define ORIEL_KERNEL(...) __kernel void ORIEL_FIRST_(__VA_ARGS__) ORIEL_PARAMETERS_(__VA_ARGS__)
#define oriel_global_id(d) ((size_t)get_global_id(d))
#define oriel_group_id(d) ((size_t)get_group_id(d))
#define oriel_local_id(d) ((size_t)get_local_id(d))
#define oriel_group_size(d) ((size_t)get_local_size(d))
#define oriel_grid_size(d) ((size_t)get_num_groups(d))

/* OpenCL has one name for each function, overloaded by type. */
#define sqrtf(x) sqrt((float)(x))
#define cbrtf(x) cbrt((float)(x))
#define expf(x) exp((float)(x))
#define exp2f(x) exp2((float)(x))
#define expm1f(x) expm1((float)(x))
#define logf(x) log((float)(x))
#define log2f(x) log2((float)(x))
#define log10f(x) log10((float)(x))
#define log1pf(x) log1p((float)(x))
#define sinf(x) sin((float)(x))
#define cosf(x) cos((float)(x))
#define tanf(x) tan((float)(x))
#define asinf(x) asin((float)(x))
#define acosf(x) acos((float)(x))
#define atanf(x) atan((float)(x))
#define atan2f(y, x) atan2((float)(y), (float)(x))
#define sinhf(x) sinh((float)(x))
#define coshf(x) cosh((float)(x))
#define tanhf(x) tanh((float)(x))
#define erff(x) erf((float)(x))
#define fabsf(x) fabs((float)(x))
#define floorf(x) floor((float)(x))
#define ceilf(x) ceil((float)(x))
#define roundf(x) round((float)(x))
#define truncf(x) trunc((float)(x))
#define powf(x, y) pow((float)(x), (float)(y))
#define fmodf(x, y) fmod((float)(x), (float)(y))
#define fmaxf(x, y) fmax((float)(x), (float)(y))
#define fminf(x, y) fmin((float)(x), (float)(y))
#define hypotf(x, y) hypot((float)(x), (float)(y))
#define copysignf(x, y) copysign((float)(x), (float)(y))
#define fmaf(x, y, z) fma((float)(x), (float)(y), (float)(z))

#elif defined(__HIP__)
/* ---- HIP. Ids are built-ins of the compiler, so no ROCm header is needed; math functions come
 * with the header that clang includes by itself. ---- */

#include <stddef.h>
#include <stdint.h>

#define ORIEL_GLOBAL_
#define ORIEL_FUNCTION static inline __attribute__((device))
#define ORIEL_KERNEL(...)                                                                        \
  extern "C" __attribute__((global)) void ORIEL_FIRST_(__VA_ARGS__)                              \
      ORIEL_PARAMETERS_(__VA_ARGS__)
#define oriel_group_id(d)                                                                        \
  ((size_t)ORIEL_AXIS_(d, __builtin_amdgcn_workgroup_id_x(),                                     \
                       __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()))
#define oriel_local_id(d)                                                                        \
  ((size_t)ORIEL_AXIS_(d, __builtin_amdgcn_workitem_id_x(),                                      \
                       __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()))
#define oriel_group_size(d)                                                                      \
  ((size_t)ORIEL_AXIS_(d, __builtin_amdgcn_workgroup_size_x(),                                   \
                       __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z()))
#define oriel_grid_size(d)                                                                       \
  ((size_t)ORIEL_AXIS_(d, __builtin_amdgcn_grid_size_x(), __builtin_amdgcn_grid_size_y(),        \
                       __builtin_amdgcn_grid_size_z()) /                                         \
   oriel_group_size(d))
#define oriel_global_id(d) (oriel_group_id(d) * oriel_group_size(d) + oriel_local_id(d))

#elif defined(__CUDACC__)
/* ---- CUDA. ---- */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The words of C that this compiler, which takes the source for C++, doesn't know. */
#define restrict __restrict__
#define _Bool bool
#define _Static_assert static_assert

#define ORIEL_GLOBAL_
#define ORIEL_FUNCTION static inline __device__ __attribute__((unused))
#define ORIEL_KERNEL(...)                                                                        \
  extern "C" __global__ void ORIEL_FIRST_(__VA_ARGS__) ORIEL_PARAMETERS_(__VA_ARGS__)
#define oriel_group_id(d) ((size_t)ORIEL_AXIS_(d, blockIdx.x, blockIdx.y, blockIdx.z))
#define oriel_local_id(d) ((size_t)ORIEL_AXIS_(d, threadIdx.x, threadIdx.y, threadIdx.z))
#define oriel_group_size(d) ((size_t)ORIEL_AXIS_(d, blockDim.x, blockDim.y, blockDim.z))
#define oriel_grid_size(d) ((size_t)ORIEL_AXIS_(d, gridDim.x, gridDim.y, gridDim.z))
#define oriel_global_id(d) (oriel_group_id(d) * oriel_group_size(d) + oriel_local_id(d))

#else
/* ---- The host: C11, or C++ that only reads the tables. ---- */

#include <oriel/kernel_launch.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One parameter; `type` counts as oriel::ElementType does. */
struct oriel_host_parameter {
  const char* name;
  uint8_t is_buffer;
  uint8_t type;
  uint8_t writable;
  uint32_t bytes; /* Of the scalar, or of one element. */
};

/* One kernel: its signature and its image. */
struct oriel_host_kernel {
  const char* name;
  void (*run)(const struct oriel_host_launch* launch, void* const* arguments);
  uint32_t parameter_count;
  const struct oriel_host_parameter* parameters;
};

#ifdef __cplusplus
}
#else

#include <math.h>
#include <stdio.h>

/* What the tables' names start with: unlike for each bundle, so that two may have like kernels. */
#ifndef ORIEL_TABLE_PREFIX
#define ORIEL_TABLE_PREFIX oriel_kernel_
#endif

#define ORIEL_GLOBAL_
#define ORIEL_FUNCTION static inline __attribute__((unused))

/* Where one work item is. The kernel's body gets it by value and is always inlined, so the compiler
 * keeps of it what the body asks for. */
struct oriel_item {
  size_t global[3];
  size_t group[3];
  size_t local[3];
  size_t group_size[3];
  size_t grid_size[3];
};
#define oriel_global_id(d) (oriel_item_.global[d])
#define oriel_group_id(d) (oriel_item_.group[d])
#define oriel_local_id(d) (oriel_item_.local[d])
#define oriel_group_size(d) (oriel_item_.group_size[d])
#define oriel_grid_size(d) (oriel_item_.grid_size[d])

#define ORIEL_COMMA_NAME_(kind, type, name) , name

/* Reads the next argument, once a launch. */
#define ORIEL_UNPACK_(kind, type, name) ORIEL_CAT_(kind, unpack_)(type, name)
#define oriel_read_unpack_(type, name) const type* name = *(const type* const*)*oriel_next_++;
#define oriel_write_unpack_(type, name) type* name = *(type* const*)*oriel_next_++;
#define oriel_scalar_unpack_(type, name) type name = *(const type*)*oriel_next_++;
#define oriel_struct_unpack_(type, name) type name = *(const type*)*oriel_next_++;

/* One row of the parameter table. */
#define ORIEL_ROW_(kind, type, name)                                                             \
  {ORIEL_TEXT_(name), ORIEL_CAT_(kind, row_)(type), (uint32_t)sizeof(type)},
#define oriel_read_row_(type) 1, ORIEL_ELEMENT_(type), 0
#define oriel_write_row_(type) 1, ORIEL_ELEMENT_(type), 1
#define oriel_scalar_row_(type) 0, ORIEL_ELEMENT_(type), 0
#define oriel_struct_row_(type) 0, ORIEL_ELEMENT_BYTES_, 0

#define ORIEL_ELEMENT_BYTES_ 10
#define ORIEL_ELEMENT_(type)                                                                     \
  _Generic((type*)0, char*: (char)-1 < 0 ? 0 : 1, signed char*: 0, unsigned char*: 1,            \
           short*: 2, unsigned short*: 3, int*: 4, unsigned*: 5,                                 \
           long*: sizeof(long) == 8 ? 6 : 4, unsigned long*: sizeof(long) == 8 ? 7 : 5,          \
           long long*: 6, unsigned long long*: 7, float*: 8, double*: 9,                         \
           default: ORIEL_ELEMENT_BYTES_)

static inline struct oriel_item oriel_first_item_(const struct oriel_host_launch* launch) {
  struct oriel_item item = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int d = 0; d < 3; ++d) {
    item.group_size[d] = launch->group[d];
    item.grid_size[d] = launch->grid[d];
  }
  return item;
}

/* Whether the items are one line: one direction, and one group or groups of one item. */
static inline int oriel_is_line_(const struct oriel_host_launch* launch) {
  /* No size is 0, so the sizes together are 1 exactly if each is. */
  return (launch->grid[1] | launch->grid[2] | launch->group[1] | launch->group[2]) == 1 &&
         (launch->group[0] == 1 || launch->group_count == 1);
}

/* The group with number `number`. */
static inline void oriel_find_group_(struct oriel_item* item, uint64_t number) {
  const size_t row = number / item->grid_size[0];
  item->group[0] = number % item->grid_size[0];
  item->group[1] = row % item->grid_size[1];
  item->group[2] = row / item->grid_size[1];
}

static inline void oriel_next_group_(struct oriel_item* item) {
  if (++item->group[0] == item->grid_size[0]) {
    item->group[0] = 0;
    if (++item->group[1] == item->grid_size[1]) {
      item->group[1] = 0;
      ++item->group[2];
    }
  }
}

/* Runs `call` for each item of a line: small launches, and those with groups of one item, which is
 * what a launch has by default. The loop counts and does nothing else, so the compiler can make
 * vectors of it and throws away the ids that the body doesn't ask for. */
#define ORIEL_RUN_LINE_(call)                                                                    \
  struct oriel_item oriel_item_ = oriel_first_item_(oriel_launch_);                              \
  const size_t oriel_count_ = oriel_launch_->group_count * oriel_item_.group_size[0];            \
  const size_t oriel_group_ = oriel_launch_->first_group;                                        \
  const size_t oriel_first_ = oriel_group_ * oriel_item_.group_size[0];                          \
  const size_t oriel_one_group_ = oriel_item_.group_size[0] != 1;                                \
  for (size_t oriel_i_ = 0; oriel_i_ < oriel_count_; ++oriel_i_) {                               \
    oriel_item_.global[0] = oriel_first_ + oriel_i_;                                             \
    oriel_item_.local[0] = oriel_one_group_ * oriel_i_;                                          \
    oriel_item_.group[0] = oriel_group_ + (1 - oriel_one_group_) * oriel_i_;                     \
    call;                                                                                        \
  }

/* Runs `call` for each item of any launch, the inner loop again a line. */
#define ORIEL_RUN_GROUPS_(call)                                                                  \
  struct oriel_item oriel_item_ = oriel_first_item_(oriel_launch_);                              \
  const size_t oriel_x_ = oriel_item_.group_size[0];                                             \
  const size_t oriel_y_ = oriel_item_.group_size[1];                                             \
  const size_t oriel_z_ = oriel_item_.group_size[2];                                             \
  oriel_find_group_(&oriel_item_, oriel_launch_->first_group);                                   \
  for (uint64_t oriel_n_ = oriel_launch_->group_count; oriel_n_ != 0; --oriel_n_) {              \
    for (size_t oriel_k_ = 0; oriel_k_ < oriel_z_; ++oriel_k_) {                                 \
      oriel_item_.local[2] = oriel_k_;                                                           \
      oriel_item_.global[2] = oriel_item_.group[2] * oriel_z_ + oriel_k_;                        \
      for (size_t oriel_j_ = 0; oriel_j_ < oriel_y_; ++oriel_j_) {                               \
        oriel_item_.local[1] = oriel_j_;                                                         \
        oriel_item_.global[1] = oriel_item_.group[1] * oriel_y_ + oriel_j_;                      \
        for (size_t oriel_i_ = 0; oriel_i_ < oriel_x_; ++oriel_i_) {                             \
          oriel_item_.local[0] = oriel_i_;                                                       \
          oriel_item_.global[0] = oriel_item_.group[0] * oriel_x_ + oriel_i_;                    \
          call;                                                                                  \
        }                                                                                        \
      }                                                                                          \
    }                                                                                            \
    oriel_next_group_(&oriel_item_);                                                             \
  }

/* A kernel becomes its body, always inlined; two functions that unpack the arguments and loop,
 * apart so that the frequent small launch sets up no more than it needs; a table of its parameters;
 * and one visible object, <prefix><name>, that leads to all. */
#define ORIEL_KERNEL(...)                                                                        \
  ORIEL_HOST_KERNEL_(ORIEL_FIRST_(__VA_ARGS__),                                                  \
                     ORIEL_CAT_(ORIEL_TABLE_PREFIX, ORIEL_FIRST_(__VA_ARGS__)), __VA_ARGS__)

#define ORIEL_HOST_KERNEL_(name, table, ...) ORIEL_HOST_KERNEL_2_(name, table, __VA_ARGS__)
#define ORIEL_HOST_KERNEL_2_(name, table, ...)                                                   \
  static inline __attribute__((always_inline)) void oriel_item_##name(                           \
      const struct oriel_item oriel_item_ ORIEL_EACH_(ORIEL_COMMA_DECLARE_, __VA_ARGS__));       \
  static __attribute__((noinline)) void oriel_groups_##name(                                     \
      const struct oriel_host_launch* oriel_launch_, void* const* oriel_next_) {                 \
    (void)oriel_next_;                                                                           \
    ORIEL_EACH_(ORIEL_UNPACK_, __VA_ARGS__)                                                      \
    ORIEL_RUN_GROUPS_(                                                                           \
        oriel_item_##name(oriel_item_ ORIEL_EACH_(ORIEL_COMMA_NAME_, __VA_ARGS__)))              \
  }                                                                                              \
  static void oriel_host_##name(const struct oriel_host_launch* oriel_launch_,                   \
                                void* const* oriel_next_) {                                      \
    if (!oriel_is_line_(oriel_launch_)) {                                                        \
      oriel_groups_##name(oriel_launch_, oriel_next_);                                           \
      return;                                                                                    \
    }                                                                                            \
    ORIEL_EACH_(ORIEL_UNPACK_, __VA_ARGS__)                                                      \
    ORIEL_RUN_LINE_(                                                                             \
        oriel_item_##name(oriel_item_ ORIEL_EACH_(ORIEL_COMMA_NAME_, __VA_ARGS__)))              \
  }                                                                                              \
  static const struct oriel_host_parameter oriel_parameters_##name[] = {                         \
      ORIEL_EACH_(ORIEL_ROW_, __VA_ARGS__){0, 0, 0, 0, 0}};                                      \
  extern const struct oriel_host_kernel table __attribute__((visibility("hidden")));             \
  const struct oriel_host_kernel table = {                                                       \
      #name, oriel_host_##name,                                                                  \
      (uint32_t)(sizeof oriel_parameters_##name / sizeof oriel_parameters_##name[0] - 1),        \
      oriel_parameters_##name};                                                                  \
  static inline __attribute__((always_inline)) void oriel_item_##name(                           \
      const struct oriel_item oriel_item_ __attribute__((unused))                                \
          ORIEL_EACH_(ORIEL_COMMA_DECLARE_, __VA_ARGS__))

#endif /* __cplusplus */
#endif /* mode */

/* clang-format on */

#endif /* ORIEL_KERNEL_H */
