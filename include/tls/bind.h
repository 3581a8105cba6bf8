/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS of a bind line (tls/binds.h): its words, its certificates as they come and go, and its
 * contexts. */
#ifndef TLS_BIND_H
#define TLS_BIND_H

#include "base/result.h"
#include "config/config.h"
#include "tls/binds.h"
#include "tls/settings.h"
#include "tls/store.h"

struct module;
struct ssl_st;
struct tls_list;
struct tls_list_line;

/* Words of bind lines and of the global section about TLS. */
extern const struct module tls_bind_module;

/* A fresh SSL for one accepted connection, with the line's settings; the callbacks choose the
 * certificate by the name asked for. NULL: no memory. */
struct ssl_st *tls_bind_ssl(struct tls_bind *bind);
/* The context for these settings, once the bind line has its own: one that is there already when
 * they come to the same. NULL and err. */
struct tls_context *tls_bind_context(struct tls_bind *bind, const struct tls_settings *set,
				     struct err *err);
/* Adds the entries (of one word or line) to the bind line. filters and set (what the line says,
 * NULL: nothing of its own) stay the caller's. The names enter the index when contexts are there
 * (tls_bind_ready), else with them. 0, or -1 and err. */
struct tls_line_spec {
	struct tls_entry *const *entries;
	unsigned count;
	const char *const *filters;
	const struct tls_settings *set;
	const struct tls_list *list;
	const struct tls_list_line *from;
	bool fallback;
};
MUST_USE int tls_bind_add(struct tls_bind *bind, const struct tls_line_spec *spec, struct err *err);
/* What is wrong with the OCSP response of a certificate that was put in force at run time, for one
 * of the lines that show it: it is shown without. 0: nothing; or -1 and err. */
MUST_USE int tls_bind_ocsp(const struct tls_entry *entry, struct err *err);
/* Takes the line out of the index and frees it. */
void tls_line_free(struct tls_line **line);
/* Makes the contexts and the index. 0, or -1 after problems were reported. */
MUST_USE int tls_bind_ready(struct tls_bind *bind, struct config *cfg);
/* Frees everything that is not in the configuration's arena. */
void tls_bind_release(struct tls_bind *bind);

#endif
