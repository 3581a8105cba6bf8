/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The predicates of conditions: rows of a table. They look at the environment, at what was built
 * in, and, for enabled(), at what the modules have been told so far. Called by condition.c.
 */
#include "config/predicate.h"

#include "base/bug.h"
#include "base/feature.h"
#include "base/str.h"
#include "base/version.h"
#include "config/config.h"
#include "config/module.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char not_a_version[] = "a version such as 2.6 or 2.4-dev19 expected";
static const char not_openssl[] = "a version of OpenSSL such as 3.0.0 or 1.1.1k expected";

/* Numbers that compare one after the other. */
enum { VERSION_PARTS = 4 };
struct version {
	unsigned long part[VERSION_PARTS];
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "1", "1.2", "1.2.3": *p is moved behind the last number. */
static bool version_numbers(const char **p, struct version *v)
{
	char *end;
	int i;

	*v = (struct version){ { 0 } };
	if (!is_digit(**p))
		return false;
	v->part[0] = strtoul(*p, &end, 10);
	for (i = 1; i < VERSION_PARTS - 1 && *end == '.' && is_digit(end[1]); i++)
		v->part[i] = strtoul(end + 1, &end, 10);
	*p = end;
	return true;
}

/* Such as 2.6-dev5, 2.6.12. A development version comes before the release. */
static bool version_parse(const char *s, struct version *v)
{
	if (!version_numbers(&s, v))
		return false;
	v->part[3] = ULONG_MAX;
	if (!strncmp(s, "-dev", 4))
		v->part[3] = strtoul(s + 4, NULL, 10);
	return *s == 0 || *s == '-';
}

/* Such as 3.0.0-beta1, 3.0.17, 1.1.1k: alpha, beta, the release, letters behind it. */
static bool version_parse_openssl(const char *s, struct version *v)
{
	enum { ALPHA = 0, BETA = 10000, RELEASE = 20000 };

	if (!version_numbers(&s, v))
		return false;
	if (*s == '-')
		s++;
	if (!strncmp(s, "alpha", 5))
		v->part[3] = ALPHA + strtoul(s + 5, NULL, 10);
	else if (!strncmp(s, "beta", 4))
		v->part[3] = BETA + strtoul(s + 4, NULL, 10);
	else if (*s >= 'a' && *s <= 'z' && !s[1])
		v->part[3] = RELEASE + 1 + (unsigned long)(*s - 'a');
	else if (*s && *s != ' ' && strncmp(s, "dev", 3))
		return false;
	else
		v->part[3] = RELEASE;
	return true;
}

static int version_order(const struct version *a, const struct version *b)
{
	int i;

	for (i = 0; i < VERSION_PARTS; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return 0;
}

/* The language against text; 0 where that is no version. */
static int language_order(const char *text, const char **wrong)
{
	struct version own, other;

	if (version_parse(version_language, &own) && version_parse(text, &other))
		return version_order(&own, &other);
	*wrong = not_a_version;
	return 0;
}

/* The library against text. False: there is no such library, or the text is no version. */
static bool openssl_order(const char *text, const char **wrong, int *order)
{
	const char *own_text = strchr(version_tls, ' ');
	struct version own, other;

	if (!version_parse_openssl(text, &other)) {
		*wrong = not_openssl;
		return false;
	}
	if (strncmp(version_tls, "OpenSSL ", 8) || !version_parse_openssl(own_text + 1, &own))
		return false;
	*order = version_order(&own, &other);
	return true;
}

/* -- the rows --------------------------------------------------------------------------- */

#define PREDICATE(name)                                                                       \
	static bool name(const struct config *cfg, const char *const *args, const char **wrong)

PREDICATE(is_defined)
{
	(void)cfg;
	(void)wrong;
	return getenv(args[0]) != NULL;
}

PREDICATE(has_feature)
{
	(void)cfg;
	(void)wrong;
	return feature_present(args[0]);
}

/* The first module that knows the option says how it stands. */
PREDICATE(is_enabled)
{
	size_t i;
	int says;

	(void)wrong;
	for (i = 0; cfg && cfg->modules[i]; i++) {
		if (!cfg->modules[i]->enabled)
			continue;
		says = cfg->modules[i]->enabled(cfg->data[i], args[0]);
		if (says >= 0)
			return says;
	}
	return false;
}

PREDICATE(is_equal)
{
	(void)cfg;
	(void)wrong;
	return !strcmp(args[0], args[1]);
}

PREDICATE(is_unequal)
{
	return !is_equal(cfg, args, wrong);
}

PREDICATE(is_atleast)
{
	(void)cfg;
	return language_order(args[0], wrong) >= 0;
}

PREDICATE(is_before)
{
	(void)cfg;
	return language_order(args[0], wrong) < 0;
}

PREDICATE(tls_starts_with)
{
	(void)cfg;
	(void)wrong;
	return *version_tls && !strncmp(version_tls, args[0], strlen(args[0]));
}

PREDICATE(openssl_is_atleast)
{
	int order;

	(void)cfg;
	return openssl_order(args[0], wrong, &order) && order >= 0;
}

PREDICATE(openssl_is_before)
{
	int order;

	(void)cfg;
	return openssl_order(args[0], wrong, &order) && order < 0;
}

/* AWS-LC is never the library. */
PREDICATE(is_aws)
{
	int64_t number;

	(void)cfg;
	if (!str_to_int(args[0], 0, INT64_MAX, &number))
		*wrong = "the number of an API of AWS-LC expected";
	return false;
}

/* The library is never put into that mode. */
PREDICATE(is_fips)
{
	(void)cfg;
	(void)args;
	(void)wrong;
	return false;
}

static const struct predicate rows[] = {
	{ "defined", 1, "defined(name) takes one argument", is_defined },
	{ "feature", 1, "feature(name) takes one argument", has_feature },
	{ "enabled", 1, "enabled(option) takes one argument", is_enabled },
	{ "streq", 2, "streq(a,b) takes two arguments", is_equal },
	{ "strneq", 2, "strneq(a,b) takes two arguments", is_unequal },
	{ "version_atleast", 1, "version_atleast(version) takes one argument", is_atleast },
	{ "version_before", 1, "version_before(version) takes one argument", is_before },
	{ "ssllib_name_startswith", 1, "ssllib_name_startswith(text) takes one argument",
	  tls_starts_with },
	{ "openssl_version_atleast", 1, "openssl_version_atleast(version) takes one argument",
	  openssl_is_atleast },
	{ "openssl_version_before", 1, "openssl_version_before(version) takes one argument",
	  openssl_is_before },
	{ "fips_mode", 0, "fips_mode() takes no argument", is_fips },
	{ "awslc_api_atleast", 1, "awslc_api_atleast(number) takes one argument", is_aws },
	{ "awslc_api_before", 1, "awslc_api_before(number) takes one argument", is_aws },
};

const struct predicate *predicate_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) == len && !memcmp(name, rows[i].name, len))
			return &rows[i];
	return NULL;
}

const char *predicate_name(size_t i)
{
	return i < ARRAY_LEN(rows) ? rows[i].name : NULL;
}
