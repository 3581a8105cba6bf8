/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression of bodies (manual 4.2 "compression"; RFC 9110 8.4, 12.5.3): which responses and which
 * requests are compressed, and how. */
#ifndef FILTER_COMPRESS_H
#define FILTER_COMPRESS_H

#include "base/str.h"
#include "config/module.h"
#include "proxy/part.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct filter_kind;
struct message;

/* As the configuration names them; COMPRESS_NONE: not at all. */
enum compress_algo { COMPRESS_NONE, COMPRESS_IDENTITY, COMPRESS_GZIP, COMPRESS_DEFLATE,
		     COMPRESS_RAW_DEFLATE, COMPRESS_ALGOS };

/* What is said of one direction. */
struct compress_way {
	enum compress_algo algos[COMPRESS_ALGOS]; /* in order; ends with COMPRESS_NONE */
	const char **types;                       /* NULL-terminated; NULL: all */
	uint64_t least;                           /* shorter bodies are left alone */
};

/* What a section says of compression. */
struct compress_conf {
	struct compress_way request, response;
	bool no_responses, requests; /* "direction" */
	bool offload;                /* servers do not see Accept-Encoding */
};

extern struct proxy_part compress_part;
/* NULL: nothing. */
static inline struct compress_conf *compress_conf_of(const struct proxy *px)
{
	return proxy_part(px, &compress_part);
}

/* What the client takes of these, by its Accept-Encoding; the one configured first where it likes
 * several alike. COMPRESS_NONE: none. Identity needs no asking. */
enum compress_algo compress_accepted(const struct message *req, const struct compress_way *way);
/* May this response be compressed, by itself and its type? */
bool compress_fits(const struct message *req, const struct message *res,
		   const struct compress_way *way);
/* May this request? */
bool compress_request_fits(const struct message *req, const struct compress_way *way);
/* Turns the head into that of a compressed message. False: no memory. */
bool compress_head(struct message *msg, struct arena *arena, enum compress_algo algo);

/* Messages of the configured directions, of requests alone and of responses alone are compressed,
 * if everything fits. */
extern const struct filter_kind compress_filter, compress_request_filter, compress_response_filter;
/* Does a filter of the section compress such messages, where it is told how? */
bool compress_has_filter(const struct proxy *px, bool response);
extern const struct module compress_module;
extern struct proxy_part compress_filter_part;

#endif
