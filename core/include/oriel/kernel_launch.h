#ifndef ORIEL_KERNEL_LAUNCH_H
#define ORIEL_KERNEL_LAUNCH_H

/* What a kernel's host image is called with. Plain C, shared by kernel sources and the host
 * backend. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The groups [first_group, first_group + group_count) of the grid, counted with x running fastest.
 */
struct oriel_host_launch {
  uint32_t grid[3];  /* Groups in each direction. */
  uint32_t group[3]; /* Work items of a group in each direction. */
  uint64_t first_group;
  uint64_t group_count;
};

#ifdef __cplusplus
}
#endif

#endif /* ORIEL_KERNEL_LAUNCH_H */
