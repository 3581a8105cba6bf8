/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression of responses (manual 4.2 "compression"; RFC 9110 8.4, 12.5.3): what is compressed,
 * and how. */
#ifndef FILTER_COMPRESS_H
#define FILTER_COMPRESS_H

#include "base/str.h"
#include "config/module.h"
#include "proxy/backend_part.h"

#include <stdbool.h>

struct arena;
struct filter_kind;
struct message;
struct proxy;

/* As the configuration names them; COMPRESS_NONE: not at all. */
enum compress_algo { COMPRESS_NONE, COMPRESS_IDENTITY, COMPRESS_GZIP, COMPRESS_DEFLATE,
		     COMPRESS_RAW_DEFLATE, COMPRESS_ALGOS };

/* "compression algo" and "compression type" of a section; never changed once it was handed on. */
struct compress_conf {
	enum compress_algo algos[COMPRESS_ALGOS]; /* in order; ends with COMPRESS_NONE */
	const char **types;                       /* NULL-terminated; NULL: all */
};

/* What the client takes of these, by its Accept-Encoding; the one configured first where it likes
 * several alike. COMPRESS_NONE: none. Identity needs no asking. */
enum compress_algo compress_accepted(const struct message *req, const struct compress_conf *conf);
/* May this response be compressed, by itself and its type? */
bool compress_fits(const struct message *req, const struct message *res,
		   const struct compress_conf *conf);
/* Turns the head of the response into that of a compressed one. False: no memory. */
bool compress_head(struct message *res, struct arena *arena, enum compress_algo algo);

/* The response is compressed, if everything fits. */
extern const struct filter_kind compress_filter;
extern const struct module compress_module;
extern const struct backend_part compress_backend_part;

#endif
