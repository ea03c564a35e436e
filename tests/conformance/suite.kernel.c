/* The conformance suite's kernels. Each work item handles one 32-bit word. */

#include <oriel/kernel.h>

ORIEL_KERNEL(fill, ORIEL_OUT(uint32_t, d), ORIEL_SCALAR(uint32_t, v)) {
  d[oriel_global_id(0)] = v;
}

ORIEL_KERNEL(inc, ORIEL_INOUT(uint32_t, d)) { d[oriel_global_id(0)] += 1; }

ORIEL_KERNEL(copy, ORIEL_OUT(uint32_t, dst), ORIEL_IN(uint32_t, src)) {
  dst[oriel_global_id(0)] = src[oriel_global_id(0)];
}

ORIEL_KERNEL(scale_add, ORIEL_INOUT(uint32_t, dst), ORIEL_IN(uint32_t, src),
             ORIEL_SCALAR(uint32_t, k)) {
  dst[oriel_global_id(0)] += src[oriel_global_id(0)] * k;
}

/* As scale_add, with the factor in memory, so that it can change between replays. */
ORIEL_KERNEL(scale_add_by, ORIEL_INOUT(uint32_t, dst), ORIEL_IN(uint32_t, src),
             ORIEL_IN(uint32_t, k)) {
  dst[oriel_global_id(0)] += src[oriel_global_id(0)] * k[0];
}

/* dst[i] = src[table[i % 4]] */
ORIEL_KERNEL(gather, ORIEL_OUT(uint32_t, dst), ORIEL_IN(uint32_t, src),
             ORIEL_IN(uint32_t, table)) {
  dst[oriel_global_id(0)] = src[table[oriel_global_id(0) % 4]];
}

/* Adds one to each word, after `rounds` rounds of arithmetic that nobody can leave out. */
ORIEL_KERNEL(slow_inc, ORIEL_INOUT(uint32_t, d), ORIEL_SCALAR(uint32_t, rounds)) {
  uint32_t x = d[oriel_global_id(0)] | 1u;
  uint32_t i;
  for (i = 0; i < rounds; ++i) {
    x = x * 1664525u + 1013904223u;
    x |= 1u;
  }
  d[oriel_global_id(0)] += x & 1u;
}

/* Arguments of every width, and a structure with padding between its members. */
struct suite_padded {
  uint8_t small;
  uint64_t large;
  uint8_t tail;
};

ORIEL_KERNEL(pack, ORIEL_OUT(uint32_t, dst), ORIEL_IN(uint32_t, src), ORIEL_SCALAR(uint8_t, a),
             ORIEL_SCALAR(uint64_t, b), ORIEL_STRUCT(struct suite_padded, s),
             ORIEL_SCALAR(uint8_t, c)) {
  dst[oriel_global_id(0)] = src[oriel_global_id(0)] + a + (uint32_t)(b >> 32) * 100u +
                            s.small * 10000u + (uint32_t)(s.large >> 32) * 100000u +
                            s.tail * 1000000u + c * 10000000u;
}

/* Each work item prints one line. */
ORIEL_KERNEL(print, ORIEL_SCALAR(uint32_t, v)) { printf("kernel says %u\n", v); }
