/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash functions that users name: "hash-type" and the converters of the same names. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of len bytes; the functions that go by these names. */
uint32_t hash_sdbm(const void *data, size_t len);
uint32_t hash_djb2(const void *data, size_t len);
/* As in Ethernet, gzip and PNG. */
uint32_t hash_crc32(const void *data, size_t len);
/* Castagnoli: RFC 4960, appendix B. */
uint32_t hash_crc32c(const void *data, size_t len);
/* Goes on where the checksum of the bytes before ended. */
uint32_t hash_crc32c_more(uint32_t before, const void *data, size_t len);
/* The reference's function of this name is not described anywhere: this is XXH32 with the
 * seed 6. */
uint32_t hash_wt6(const void *data, size_t len);
/* Makes every bit of the input change each bit of the result half of the time: "avalanche". */
uint32_t hash_avalanche(uint32_t a);

#endif
