/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a row in the tables of fetches and converters by its name. Called while the
 * configuration is read and for help. */
#include "config.h"

#include "expr/names.h"
#include "expr/tables.h"
#include "expr/tables.h"

#include "base/bug.h"
#include "base/tables.h"

#include <stdio.h>

/* The name comes first in what tables hold. */
_Static_assert(!offsetof(struct fetch, name) && !offsetof(struct converter, name), "names");

static const char *const known_fetches[] = {
#define KNOWN_FETCH(name) name,
#include "expr/known_fetches.def"
#undef KNOWN_FETCH
};

static const char *const known_converters[] = {
#define KNOWN_CONVERTER(name) name,
#include "expr/known_converters.def"
#undef KNOWN_CONVERTER
};

/* -- rows ------------------------------------------------------------------------------- */

const struct fetch *expr_fetch_next(struct tables_walk *walk)
{
	return tables_next(&expr_fetches, walk);
}

const struct converter *expr_converter_next(struct tables_walk *walk)
{
	return tables_next(&expr_converters, walk);
}

const struct fetch *expr_fetch_find(struct span name)
{
	return tables_find(&expr_fetches, name);
}

const struct converter *expr_converter_find(struct span name)
{
	return tables_find(&expr_converters, name);
}

int expr_add_fetches(const struct fetch *table, struct err *err)
{
	return tables_add(&expr_fetches, table, err);
}

int expr_add_converters(const struct converter *table, struct err *err)
{
	return tables_add(&expr_converters, table, err);
}

/* -- names that are not ours ------------------------------------------------------------ */

static bool names_have(const char *const *names, size_t count, struct span name)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (span_equal(name, span_of(names[i])))
			return true;
	}
	return false;
}

bool fetch_known(struct span name)
{
	return names_have(known_fetches, ARRAY_LEN(known_fetches), name);
}

bool converter_known(struct span name)
{
	return names_have(known_converters, ARRAY_LEN(known_converters), name);
}

const char *name_explained(struct span name)
{
	static const char htx[] = "looks into HAProxy's own form of messages, which is not there (see 'req.body_size', "
				  "'req.hdrs', 'req.hdr_cnt' and the like)";
	static const char vendor[] = "belongs to a vendor's device detection, which Penstock is not built with (a map "
				     "over 'req.hdr(user-agent)' needs no library)";
	static const struct {
		const char *begin, *why;
	} names[] = { { "internal.htx", htx }, { "internal.strm.", htx }, { "51d.", vendor },
		      { "da-csv-", vendor }, { "wurfl-", vendor } };
	size_t i, len;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		len = strlen(names[i].begin);
		if (name.len >= len && !memcmp(name.ptr, names[i].begin, len))
			return names[i].why;
	}
	return NULL;
}

bool name_needs_openssl(struct span name)
{
#ifdef HAVE_OPENSSL
	(void)name;
	return false;
#else
	static const char *const others[] = { "aes_gcm_dec", "digest", "hmac", "jwt_verify", "sha1",
					      "sha2" };

	return (name.len > 4 && !memcmp(name.ptr, "ssl_", 4)) ||
	       names_have(others, ARRAY_LEN(others), name);
#endif
}

const char *fetch_nearest(struct span name)
{
	return tables_nearest(&expr_fetches, name);
}

const char *converter_nearest(struct span name)
{
	return tables_nearest(&expr_converters, name);
}
