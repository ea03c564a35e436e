/* A vendor's library as three versions of it: "whole"; "older", which lacks a function that came
 * later; and "partial", which lacks functions that nobody can do without. */

#include <stdint.h>

/* The first version of the call, kept for old programs: its size is of 32 bits. */
int vendor_allocate(uint32_t* address, uint32_t bytes) {
  *address = bytes;
  return 1;
}

#ifndef VENDOR_IS_PARTIAL
/* The second version, of another layout. */
int vendor_allocate_v2(uint64_t* address, uint64_t bytes) {
  *address = bytes;
  return 2;
}

int vendor_free_v2(uint64_t address) { return address == 0; }
#endif

#ifdef VENDOR_IS_WHOLE
int vendor_newer(void) { return 3; }
#endif
