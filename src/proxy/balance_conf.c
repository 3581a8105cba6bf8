/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that say how servers are chosen: parsed into settings; lb/ obeys them. */
#include "proxy/proxy_conf.h"

#include "base/str.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {
	[BALANCE_ROUNDROBIN] = "roundrobin", [BALANCE_STATIC_RR] = "static-rr",
	[BALANCE_LEASTCONN] = "leastconn",   [BALANCE_FIRST] = "first",
	[BALANCE_SOURCE] = "source",         [BALANCE_RANDOM] = "random", NULL
};

static const char *const methods[] = { [HASH_MAP_BASED] = "map-based",
				       [HASH_CONSISTENT] = "consistent", NULL };

static const char *const functions[] = { [HASH_SDBM] = "sdbm", [HASH_DJB2] = "djb2",
					 [HASH_WT6] = "wt6", [HASH_CRC32] = "crc32", NULL };

/* Of the manual, for HTTP and others. */
static const char *const later[] = { "uri", "url_param", "hdr", "rdp-cookie" };

static int name_index(const char *const *names, const char *name, size_t len)
{
	int i;

	for (i = 0; names[i]; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return i;
	return -1;
}

/* "(N)" behind random. */
static int parse_draws(struct statement *st, const char *text, int *draws)
{
	long n;
	char *end;

	if (!*text)
		return 0;
	n = strtol(text + 1, &end, 10);
	if (*text != '(' || end == text + 1 || strcmp(end, ")") != 0 || n < 1 || n > INT_MAX)
		return stmt_error(st, st->at - 1, "'random' takes the number of draws in brackets, "
				  "at least 1: random(2)");
	*draws = (int)n;
	return 0;
}

int parse_balance(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy_settings *set = &((struct proxy *)object)->set;
	const char *word = stmt_need(st, "an algorithm");
	size_t len, i;
	int algo;

	(void)kw;
	if (!word)
		return -1;
	len = strcspn(word, "(");
	algo = name_index(algorithms, word, len);
	for (i = 0; i < ARRAY_LEN(later); i++)
		if (algo < 0 && strlen(later[i]) == len && !memcmp(later[i], word, len))
			return stmt_error(st, st->at - 1, "'balance %s' is not supported yet", word);
	if (algo < 0 || (word[len] && algo != BALANCE_RANDOM))
		return stmt_unknown(st, st->at - 1, "algorithm of 'balance'", algorithms);
	set->balance = algo;
	set->balance_draws = 2;
	return algo == BALANCE_RANDOM ? parse_draws(st, word + len, &set->balance_draws) : 0;
}

int parse_hash_type(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy_settings *set = &((struct proxy *)object)->set;
	const char *word = stmt_need(st, "map-based or consistent");
	int index;

	(void)kw;
	if (!word)
		return -1;
	if (!strcmp(word, "avalanche"))
		return stmt_error(st, st->at - 1, "'hash-type avalanche' is a word of older "
				  "releases: write 'hash-type map-based sdbm avalanche'");
	index = name_index(methods, word, strlen(word));
	if (index < 0)
		return stmt_unknown(st, st->at - 1, "method of 'hash-type'", methods);
	set->hash_method = index;
	/* A consistent hash is only smooth when its keys are well mixed. */
	set->hash_avalanche = index == HASH_CONSISTENT;
	set->hash_function = HASH_SDBM;
	word = stmt_next(st);
	if (!word)
		return 0;
	index = name_index(functions, word, strlen(word));
	if (index < 0)
		return stmt_unknown(st, st->at - 1, "function of 'hash-type'", functions);
	set->hash_function = index;
	set->hash_avalanche = false;
	if (!stmt_peek(st))
		return 0;
	if (!stmt_take(st, "avalanche"))
		return stmt_error(st, st->at, "'avalanche' is the only modifier of 'hash-type'");
	set->hash_avalanche = true;
	return 0;
}

int parse_hash_balance_factor(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t factor;

	if (stmt_int(st, kw->name, 0, INT_MAX, &factor))
		return -1;
	if (factor > 0 && factor <= 100)
		return stmt_error(st, st->at - 1, "'hash-balance-factor' is a percentage above 100, "
				  "or 0 for none");
	((struct proxy *)object)->set.hash_balance_factor = (unsigned)factor;
	return 0;
}
