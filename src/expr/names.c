/* SPDX-License-Identifier: BSD-2-Clause */
/* All tables of fetches and converters, and finding a row by its name. Called while the
 * configuration is read and for help. */
#include "config.h"

#include "expr/names.h"

#include "base/bug.h"

#include <stdio.h>

/* -- the tables ------------------------------------------------------------------------- */

static const struct fetch *const fetch_tables[] = {
	fetch_consts, fetch_states, fetch_net, fetch_faults, fetch_buffers, fetch_vars,
	fetch_http,   fetch_fields,
#ifdef HAVE_OPENSSL
	fetch_tls,    fetch_hello,  fetch_x509,
#endif
};

static const struct converter *const converter_tables[] = {
	converter_numbers, converter_strings, converter_bytes, converter_hashes,
	converter_times,   converter_json,    converter_maps,  converter_states,
	converter_vars,    converter_http,
	converter_query,
#ifdef HAVE_OPENSSL
	converter_crypto,  converter_jwt,
#endif
};

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

const struct fetch *expr_fetch_row(unsigned n)
{
	const struct fetch *row;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(fetch_tables); i++) {
		for (row = fetch_tables[i]; row->name; row++) {
			if (!n--)
				return row;
		}
	}
	return NULL;
}

const struct converter *expr_converter_row(unsigned n)
{
	const struct converter *row;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(converter_tables); i++) {
		for (row = converter_tables[i]; row->name; row++) {
			if (!n--)
				return row;
		}
	}
	return NULL;
}

const struct fetch *expr_fetch_find(struct span name)
{
	const struct fetch *row;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(fetch_tables); i++) {
		for (row = fetch_tables[i]; row->name; row++) {
			if (span_equal(name, span_of(row->name)))
				return row;
		}
	}
	return NULL;
}

const struct converter *expr_converter_find(struct span name)
{
	const struct converter *row;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(converter_tables); i++) {
		for (row = converter_tables[i]; row->name; row++) {
			if (span_equal(name, span_of(row->name)))
				return row;
		}
	}
	return NULL;
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

/* The nearest so far. */
struct nearest {
	char word[64];
	unsigned limit;
	const char *name;
};

static void nearest_begin(struct nearest *n, struct span name)
{
	size_t len = name.len < sizeof(n->word) ? name.len : sizeof(n->word) - 1;

	memcpy(n->word, name.ptr, len);
	n->word[len] = 0;
	n->limit = len < 4 ? 1 : 2;
	n->name = NULL;
}

static void nearest_try(struct nearest *n, const char *name)
{
	unsigned distance = str_distance(n->word, name, n->limit);

	if (distance > n->limit)
		return;
	n->name = name;
	n->limit = distance ? distance - 1 : 0;
}

const char *fetch_nearest(struct span name)
{
	const struct fetch *row;
	struct nearest n;
	unsigned i;

	nearest_begin(&n, name);
	for (i = 0; i < ARRAY_LEN(fetch_tables); i++)
		for (row = fetch_tables[i]; row->name; row++)
			nearest_try(&n, row->name);
	return n.name;
}

const char *converter_nearest(struct span name)
{
	const struct converter *row;
	struct nearest n;
	unsigned i;

	nearest_begin(&n, name);
	for (i = 0; i < ARRAY_LEN(converter_tables); i++)
		for (row = converter_tables[i]; row->name; row++)
			nearest_try(&n, row->name);
	return n.name;
}
