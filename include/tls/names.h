/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and what they stand for: exact ones and wildcards (*.example.com: one label). The cost of a
 * look-up does not depend on how many there are. Knows nothing of certificates. */
#ifndef TLS_NAMES_H
#define TLS_NAMES_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TLS_NAME_MAX = 255 }; /* longest name; longer ones are in no index */

/* One name; embedded by nobody: in arrays of the object it stands for. */
struct tls_name {
	struct tls_name *next, **link; /* in a bucket; link NULL: in no index */
	void *object;
	const char *text;  /* lower case, no final dot; wildcards from the first dot on */
	uint32_t hash;
	unsigned rank;     /* lower ones are found first */
	uint8_t len;
	bool wild;
};

/* Zeroed: empty. */
struct tls_names {
	struct tls_name **buckets;
	size_t mask, count; /* mask 0: no buckets yet */
};

/* In out (TLS_NAME_MAX + 1 bytes): in small letters, without a final dot. Length; 0: it is too
 * long, empty, or has a NUL in it. */
size_t tls_name_normalise(struct span name, char *out);
/* Fills in a name of normalised text, which stays the caller's. "*.x" becomes a wildcard. */
void tls_name_init(struct tls_name *name, const char *text, size_t len, void *object,
		   unsigned rank);
/* Makes room, so that tls_names_add cannot fail. 0; -1: no memory. */
MUST_USE int tls_names_ready(struct tls_names *index);
/* 0, or -1: no memory. */
MUST_USE int tls_names_add(struct tls_names *index, struct tls_name *name);
void tls_names_remove(struct tls_names *index, struct tls_name *name);
void tls_names_free(struct tls_names *index);

/* Those that a normalised name is, in the order of rank: first(exact), then next(...). wild: of
 * those whose wildcard it falls under. NULL: no (more). */
struct tls_name *tls_names_first(const struct tls_names *index, const char *text, size_t len,
				 bool wild);
struct tls_name *tls_names_next(const struct tls_name *name);

#endif
