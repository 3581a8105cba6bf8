/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2): programs and maps, for those who bring programs of their own (net/sockmap.c, colocate/).
 * Nothing here decides; what fails says so with errno. Other calls than those below: bpf_call. */
#ifndef NET_BPF_H
#define NET_BPF_H

#include "base/result.h"

#include <stddef.h>
#include <stdint.h>

union bpf_attr;
struct bpf_insn;

struct bpf_program {
	unsigned type, attach_type;
	const char *name; /* at most 15 characters */
	const struct bpf_insn *code;
	unsigned len;
};

/* A piece of text of the verifier, which is told when it refuses a program. */
struct bpf_log {
	char *text;
	size_t size;
};

/* What the system call returned. */
MUST_USE int bpf_call(int command, union bpf_attr *attr);

/* Copies code (len rows) to out without its labels; jumps to these become distances, and maps[n]
 * takes the place of the map n. The number of instructions. */
unsigned bpf_code_link(struct bpf_insn *out, const struct bpf_insn *code, unsigned len,
		       const int *maps);

/* The descriptor, or -1; log may be NULL. */
MUST_USE int bpf_program_load(const struct bpf_program *program, const struct bpf_log *log);

/* A map whose name is at most 15 characters long: its descriptor, or -1. */
MUST_USE int bpf_map_create(const char *name, unsigned type, unsigned key, unsigned value,
			    unsigned entries, unsigned flags);

/* 0 or -1. Keys and values have the sizes of the map. */
MUST_USE int bpf_map_put(int map, const void *key, const void *value);
MUST_USE int bpf_map_get(int map, const void *key, void *value);
void bpf_map_remove(int map, const void *key);
/* The key behind this one; NULL: the first. -1: there is none. */
MUST_USE int bpf_map_next(int map, const void *key, void *next);

/* Lets the program see to the sockets of a map. 0 or -1. */
MUST_USE int bpf_map_attach(int map, int program, unsigned attach_type);

#endif
