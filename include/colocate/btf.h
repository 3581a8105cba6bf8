/* SPDX-License-Identifier: BSD-2-Clause */
/* Where members of the kernel's structures are: read from BTF, the kernel's description of its own
 * types (/sys/kernel/btf/vmlinux, Documentation/bpf/btf.rst of the kernel's sources). */
#ifndef COLOCATE_BTF_H
#define COLOCATE_BTF_H

#include "base/err.h"

#include <stddef.h>

struct btf;

/* Reads the description; the memory stays the caller's, and must outlive it. NULL with a sentence:
 * it is not BTF, or cut. */
struct btf *btf_read(const void *data, size_t size, struct err *err);
/* The same from a file, whose memory the description owns. */
struct btf *btf_load(const char *path, struct err *err);
void btf_free(struct btf **btf);

/* The place of a member in a structure, in bytes; the path has a dot before each member of a
 * member: btf_offset(btf, "sock", "__sk_common.skc_state"). Members of structures without a name
 * are found. -1: there is none, or it is no whole byte. */
int btf_offset(const struct btf *btf, const char *structure, const char *path);

#endif
