/* SPDX-License-Identifier: BSD-2-Clause */
/* Log formats: a text with aliases (%ci) and sample expressions (%[src]), compiled once and
 * written for each line against the view of a stream. Manual 8.2.6. */
#ifndef EXPR_LOGFORMAT_H
#define EXPR_LOGFORMAT_H

#include "base/encode.h"
#include "base/str.h"
#include "config/config.h"
#include "config/module.h"

struct err;
struct expr_context;
struct logformat;
struct proxy;
struct view;

/* Compiles; what only looks wrong is warned about where ctx->cfg is set. place: the AT_* bit
 * under which expressions run. NULL, and err with a sentence that names the word. */
struct logformat *logformat_compile(const char *text, const struct expr_context *ctx,
				    unsigned place, struct err *err);
/* The same for texts that are no log lines: blanks are kept, what is absent leaves nothing. */
enum logformat_style {
	FORMAT_LOG,
	FORMAT_RAW,  /* bytes of values are left alone: variables, names */
	FORMAT_ID,   /* unique ids: blanks are merged as in a line, the rest is as HTTP */
	FORMAT_HTTP, /* control characters but tabs become %XX: fields, targets, bodies of HTTP */
	FORMAT_REPLACEMENT, /* the same for regex_expand: escapes of the format's own text remain,
			     * what values bring is quoted, so that no client writes escapes */
};
struct logformat *logformat_compile_as(enum logformat_style style, const char *text,
				       const struct expr_context *ctx, unsigned place,
				       struct err *err);
/* What it writes: a text, or an object of JSON or CBOR that remains one when it is cut as
 * encoded_cut says. */
enum encoding logformat_encoding(const struct logformat *format);
/* Does it look at view->log? */
bool logformat_needs_log(const struct logformat *format);
/* Appends the line; cut at the text's size. view->log must be filled in where the format has
 * aliases of the stream's numbers. */
void logformat_write(const struct logformat *format, const struct view *view, struct text *t);
/* Does it mention only what is known once the server is connected? Its line is then written
 * at that time. In mode http expressions may look at what comes later. */
bool logformat_early(const struct logformat *format, bool http);
/* Does it show the target of the request? */
bool logformat_needs_uri(const struct logformat *format);
/* An alias in it that is for mode http alone; NULL: there is none. */
const char *logformat_http_alias(const struct logformat *format);
const struct location *logformat_location(const struct logformat *format);
bool logformat_has(const struct logformat *format, const char *alias);
/* The format as it was written, of the options its equivalent (expr/logformat_stock.h). */
const char *logformat_text(const struct logformat *format);

/* The words of proxies that say what is logged: log, log-tag, log-format, log-format-sd,
 * unique-id-format, options tcplog, httplog and httpslog. */
extern const struct module logformat_module;
extern const struct module log_profile_module; /* sections log-profile */
/* The compiled format of a frontend that names none. */
const struct logformat *logformat_default(const struct proxy *frontend);

#endif
