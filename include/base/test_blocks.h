/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of memory are counted, for tests of what is given back. Linked into tests only (cmocka). A
 * sanitizer has an allocator of its own, and looks for leaks by itself: there none is counted. */
#ifndef BASE_TEST_BLOCKS_H
#define BASE_TEST_BLOCKS_H

/* Blocks that are in use: of the whole program, its libraries included. */
long test_blocks(void);
/* The third round leaves as many behind as it has found: what is made once, and kept, is there behind
 * the first two. */
void test_gives_back(void (*round)(void));

#endif
