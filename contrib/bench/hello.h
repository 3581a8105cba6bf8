/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first bytes of a connection from `load` to `origin`: what the origin shall do with it.
 * A connection that begins with any other byte is echoed.
 */
#ifndef BENCH_HELLO_H
#define BENCH_HELLO_H

#include <stdint.h>

#define HELLO_MAGIC 0xb5

enum hello_mode {
	HELLO_PINGPONG, /* `request` bytes in, `response` bytes out, and again */
	HELLO_SOURCE,   /* send without end */
	HELLO_SINK,     /* read without end */
	HELLO_BOTH      /* both at once */
};

struct hello {
	uint8_t magic;
	uint8_t mode;
	uint8_t unused[2];
	uint32_t request;
	uint32_t response;
	uint32_t unused2;
};

#endif
