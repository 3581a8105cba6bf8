/* SPDX-License-Identifier: BSD-2-Clause */
/* How the two programs of colocate/ are written: in steps, functions that append instructions in
 * the order in which they run. Labels are those of the whole program. Included by the files that
 * hold programs, and by nothing else. */
#ifndef COLOCATE_CODE_H
#define COLOCATE_CODE_H

#include "base/bug.h"
#include "colocate/maps.h"
#include "net/bpf.h"
#include "net/bpf_code.h"

#include <stddef.h>
#include <string.h>

#define FLOW_AT(name) ((int)offsetof(struct colocate_flow, name))
#define END_AT(name) ((int)offsetof(struct colocate_end, name))
#define SETTING(name) ((int)offsetof(struct colocate_settings, name))
#define TOTAL(name) ((int)offsetof(struct colocate_totals, name))

/* What is called with a map and a key on the stack. */
#define WITH_KEY(function, map, key) \
	MAP(R1, COLOCATE_MAP_##map), SET(R2, STACK), ADD_N(R2, key), CALL(function)
#define LOOK_UP(map, key) WITH_KEY(map_lookup_elem, map, key)
#define REMOVE(map, key) WITH_KEY(map_delete_elem, map, key)
#define COPY64(to, at, from, from_at) LOAD64(R1, from, from_at), STORE64(to, at, R1)

enum { CTX = R6 };

/* Places on the stack that both programs have. */
enum { SELF = -8, INDEX = -16, COOKIE = -24 };

struct code {
	struct bpf_insn rows[512];
	unsigned len;
};

static inline void code_append(struct code *c, const struct bpf_insn *rows, size_t count)
{
	BUG_ON(c->len + count > ARRAY_LEN(c->rows));
	memcpy(c->rows + c->len, rows, count * sizeof(*rows));
	c->len += (unsigned)count;
}

#define APPEND(c, ...)                                                  \
	do {                                                            \
		const struct bpf_insn rows_[] = { __VA_ARGS__ };        \
		code_append(c, rows_, ARRAY_LEN(rows_));                \
	} while (0)

#endif
