/* SPDX-License-Identifier: BSD-2-Clause */
#include "lb/balance_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "expr/expr.h"
#include "lb/key.h"
#include "proxy/proxy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {
	[BALANCE_ROUNDROBIN] = "roundrobin", [BALANCE_STATIC_RR] = "static-rr",
	[BALANCE_LEASTCONN] = "leastconn",   [BALANCE_FIRST] = "first",
	[BALANCE_SOURCE] = "source",         [BALANCE_RANDOM] = "random",
	[BALANCE_PEAK_EWMA] = "peak-ewma",
	[BALANCE_URI] = "uri",               [BALANCE_URL_PARAM] = "url_param",
	[BALANCE_HDR] = "hdr",               [BALANCE_RDP_COOKIE] = "rdp-cookie",
	[BALANCE_HASH] = "hash", NULL
};

const char *balance_name(int balance)
{
	return algorithms[balance];
}

/* Those that look at no more than addresses, or at what they are told to. */
static const char *const for_datagrams[] = { "roundrobin", "static-rr", "leastconn", "first",
					     "source", "random", "hash", NULL };

static const char *const explained[] = {
	[BALANCE_ROUNDROBIN] = "servers in turn, by weight; weights may change while it runs",
	[BALANCE_STATIC_RR] = "servers in turn, by weights that do not change",
	[BALANCE_LEASTCONN] = "the server with the fewest sessions for its weight",
	[BALANCE_FIRST] = "the first server that has a free slot (maxconn)",
	[BALANCE_SOURCE] = "by a hash of the client's address: the same server again",
	[BALANCE_RANDOM] = "random(draws): of some servers by chance, the one with fewest sessions",
	[BALANCE_PEAK_EWMA] = "by response times and requests in flight (a word of Penstock's)",
	[BALANCE_URI] = "by a hash of the request's path: the same server again",
	[BALANCE_URL_PARAM] = "by a hash of a parameter of the query: the same server again",
	[BALANCE_HDR] = "hdr(name): by a hash of a header: the same server again",
	[BALANCE_RDP_COOKIE] = "by a hash of the cookie of RDP clients: the same server again",
	[BALANCE_HASH] = "by a hash of an expression: the same server again",
};

static void balance_help_list(FILE *out, bool any)
{
	fprintf(out, "%salgorithms of balance\n  ", any ? "\n" : "");
	for (size_t i = 0; algorithms[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", algorithms[i]);
	fprintf(out, "\n");
}

bool balance_help(FILE *out, const char *word, bool any)
{
	if (!strcmp(word, "balance")) {
		balance_help_list(out, any);
		return true;
	}
	for (size_t i = 0; algorithms[i]; i++) {
		if (strcmp(algorithms[i], word) != 0)
			continue;
		fprintf(out, "%sbalance %s\n  %s\n", any ? "\n" : "", word, explained[i]);
		return true;
	}
	return false;
}

static const char *const methods[] = { [HASH_MAP_BASED] = "map-based",
				       [HASH_CONSISTENT] = "consistent", NULL };

static const char *const functions[] = { [HASH_SDBM] = "sdbm", [HASH_DJB2] = "djb2",
					 [HASH_WT6] = "wt6", [HASH_CRC32] = "crc32", NULL };

enum { DECAY_MS = 5000 };

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

/* "decay <time>" behind peak-ewma. */
static int parse_decay(struct statement *st, unsigned *ms)
{
	*ms = DECAY_MS;
	if (!stmt_take(st, "decay"))
		return 0;
	if (stmt_duration(st, "decay", 'm', ms))
		return -1;
	return *ms ? 0 : stmt_error(st, st->at - 1, "'decay' must be at least 1 ms");
}

/* The text between brackets behind the name of the algorithm; ptr NULL: there is none, or it is not
 * closed, which is reported. */
static struct span bracket(struct statement *st, const char *text)
{
	size_t len = strlen(text);

	if (*text != '(')
		return (struct span){ NULL, 0 };
	if (len < 3 || text[len - 1] != ')') {
		stmt_error(st, st->at - 1, "a name in brackets is expected behind the algorithm");
		return (struct span){ NULL, 0 };
	}
	return (struct span){ arena_strndup(st->cfg->arena, text + 1, len - 2), len - 2 };
}

static int parse_uri_options(struct statement *st, struct balance_by *by)
{
	static const char *const options[] = { "len", "depth", "whole", "path-only", NULL };
	const char *word;
	int64_t n;

	while ((word = stmt_next(st))) {
		if (!strcmp(word, "whole")) {
			by->whole = true;
		} else if (!strcmp(word, "path-only")) {
			by->path_only = true;
		} else if (!strcmp(word, "len") || !strcmp(word, "depth")) {
			if (stmt_int(st, word, 1, INT_MAX, &n))
				return -1;
			*(*word == 'l' ? &by->len : &by->depth) = (int)n;
		} else {
			return stmt_unknown(st, st->at - 1, "option of 'balance uri'", options);
		}
	}
	return 0;
}

/* "check_post" may be followed by a number, which has no meaning any more. */
static int parse_url_param(struct statement *st, struct balance_by *by)
{
	const char *name = stmt_need(st, "the name of a parameter");
	int64_t unused;

	if (!name)
		return -1;
	by->name = span_of(arena_strdup(st->cfg->arena, name));
	by->check_post = stmt_take(st, "check_post");
	if (!by->check_post || !stmt_peek(st))
		return 0;
	return stmt_int(st, "check_post", 0, INT_MAX, &unused);
}

static int parse_key_expr(struct statement *st, struct balance_by *by, const char *text)
{
	const struct expr_context ctx = { .cfg = st->cfg, .loc = st->loc };
	struct err err;

	by->expr = expr_parse_all(text, &ctx, &err);
	if (!by->expr)
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (!(expr_where(by->expr) & AT_REQUESTS))
		return stmt_error(st, st->at - 1, "'%s' looks at the %s, which is not there yet when a "
				  "server is chosen", text, expr_source(by->expr));
	return 0;
}

/* What the algorithms by a key need to know; text: behind the name. */
static int parse_by(struct statement *st, int algo, const char *text, struct balance_by *by)
{
	struct span name = bracket(st, text);
	struct arena *arena = st->cfg->arena;
	const char *word;

	if (*text && (!name.ptr || algo == BALANCE_URI || algo == BALANCE_URL_PARAM ||
		      algo == BALANCE_HASH))
		return name.ptr ? stmt_error(st, st->at - 1, "'balance %s' takes nothing in brackets",
					     algorithms[algo]) : -1;
	switch (algo) {
	case BALANCE_URI:
		return parse_uri_options(st, by);
	case BALANCE_URL_PARAM:
		return parse_url_param(st, by);
	case BALANCE_HDR:
		if (!name.ptr)
			return stmt_error(st, st->at - 1, "'balance hdr' takes the name of a field in "
					  "brackets: hdr(host)");
		by->name = name;
		by->domain_only = stmt_take(st, "use_domain_only");
		return 0;
	case BALANCE_RDP_COOKIE:
		return parse_key_expr(st, by, name.ptr ? arena_printf(arena, "req.rdp_cookie(%s)",
								      name.ptr) :
							 "req.rdp_cookie(mstshash)");
	default:
		word = stmt_need(st, "an expression");
		return word ? parse_key_expr(st, by, word) : -1;
	}
}

static int parse_balance(struct statement *st, const struct keyword *kw, void *object)
{
	const struct proxy *px = object;
	struct proxy_settings *set = &((struct proxy *)object)->set;
	const char *word = stmt_peek(st) ? stmt_next(st) : algorithms[BALANCE_ROUNDROBIN];
	struct balance_by *by;
	size_t len;
	int algo;

	(void)kw;
	len = strcspn(word, "(");
	algo = name_index(algorithms, word, len);
	if (algo < 0 || (word[len] && (algo < BALANCE_RANDOM || algo == BALANCE_PEAK_EWMA)))
		return stmt_unknown(st, st->at - 1, "algorithm of 'balance'",
				    proxy_is_udp(px) ? for_datagrams : algorithms);
	set->balance = algo;
	set->balance_given = true;
	set->balance_loc = st->loc;
	set->balance_draws = 2;
	if (algo == BALANCE_RANDOM)
		return parse_draws(st, word + len, &set->balance_draws);
	if (algo == BALANCE_PEAK_EWMA)
		return parse_decay(st, &set->balance_decay);
	if (algo < BALANCE_URI)
		return 0;
	set->balance_by = by = arena_alloc(st->cfg->arena, sizeof(*by));
	return parse_by(st, algo, word + len, by);
}

/* The reference's function of that name is published nowhere but in its source. */
static void notice_wt6(struct statement *st)
{
	struct location loc = stmt_location(st);

	config_notice(st->cfg, &loc, "'wt6' is another function than HAProxy's: keys go to other "
		      "servers than there");
}

static int parse_hash_type(struct statement *st, const struct keyword *kw, void *object)
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
	if (index == HASH_WT6)
		notice_wt6(st);
	if (!stmt_peek(st))
		return 0;
	if (!stmt_take(st, "avalanche"))
		return stmt_error(st, st->at, "'avalanche' is the only modifier of 'hash-type'");
	set->hash_avalanche = true;
	return 0;
}

static int parse_hash_balance_factor(struct statement *st, const struct keyword *kw, void *object)
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

const struct keyword balance_keywords[] = {
	{ "balance", SCOPE_BACK | SCOPE_UDP, 0, "<algorithm> [<argument> ...]", parse_balance, .dflt = "roundrobin",
	  .help = "which server gets the next session" },
	{ "hash-type", SCOPE_BACK | SCOPE_UDP, 0, "<method> [<function> [<modifier>]]", parse_hash_type,
	  .dflt = "map-based sdbm", .help = "how hashes are mapped to servers" },
	{ "hash-balance-factor", SCOPE_BACK | SCOPE_UDP, 0, "<factor>", parse_hash_balance_factor,
	  .dflt = "0: off", .help = "most load of one server, in percent of the mean" },
	{ "hash-preserve-affinity", SCOPE_BACK, 0, "{ always | maxconn | maxqueue }", set_enum,
	  .offset = offsetof(struct proxy, set.hash_affinity),
	  .names = (const char *const[]){ [HASH_AFFINITY_ALWAYS] = "always",
					  [HASH_AFFINITY_MAXCONN] = "maxconn",
					  [HASH_AFFINITY_MAXQUEUE] = "maxqueue",
					  NULL },
	  .dflt = "always", .help = "who serves when the server that a hash names is full" },
	{ 0 },
};
