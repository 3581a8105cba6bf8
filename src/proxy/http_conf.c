/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of proxies that say how connections are kept and requests sent again in mode http, and
 * one that has a mode as well; the plain ones are rows of proxy_words.c. */
#include "proxy/proxy_conf.h"

#include "base/str.h"

#include <limits.h>
#include <string.h>

/* One of three: the last one given holds; "no" takes back the one that it names. */
int parse_http_mode(struct statement *st, const struct keyword *kw, void *object)
{
	const uint64_t all = OPT_KEEP_ALIVE | OPT_SERVER_CLOSE | OPT_HTTP_CLOSE;
	struct options *options = &((struct proxy *)object)->set.options;

	if (!st->no && !st->dflt)
		options->on &= ~all;
	return set_bit(st, kw, object);
}

/* "auto" or not: the last line holds. */
int parse_kernel_relay(struct statement *st, const struct keyword *kw, void *object)
{
	struct options *options = &((struct proxy *)object)->set.options;
	bool judged = !st->no && !st->dflt && stmt_take(st, "auto");

	if (set_bit(st, kw, object) || stmt_end(st))
		return -1;
	options->on &= ~(uint64_t)OPT_KERNEL_RELAY_AUTO;
	if (judged) {
		options->on &= ~kw->bit;
		options->on |= OPT_KERNEL_RELAY_AUTO;
	}
	return 0;
}

static const uint16_t retry_status[] = { 401, 403, 404, 408, 425, 500, 501, 502, 503, 504,
					 421, 429 /* of later versions */ };

unsigned retry_on_status(unsigned status)
{
	unsigned i;

	for (i = 0; i < sizeof(retry_status) / sizeof(retry_status[0]); i++)
		if (retry_status[i] == status)
			return RETRY_STATUS << i;
	return 0;
}

static unsigned retry_all(void)
{
	return RETRY_CONN_FAILURE | RETRY_EMPTY | RETRY_JUNK | RETRY_TIMEOUT | RETRY_0RTT |
	       retry_on_status(500) | retry_on_status(502) | retry_on_status(503) |
	       retry_on_status(504);
}

static unsigned retry_bits(const char *word, bool *known)
{
	static const struct {
		const char *name;
		unsigned bit;
	} names[] = {
		{ "conn-failure", RETRY_CONN_FAILURE }, { "empty-response", RETRY_EMPTY },
		{ "junk-response", RETRY_JUNK },        { "response-timeout", RETRY_TIMEOUT },
		{ "0rtt-rejected", RETRY_0RTT },        { "none", 0 },
	};
	int64_t status;
	unsigned i;

	*known = true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(word, names[i].name))
			return names[i].bit;
	if (!strcmp(word, "all-retryable-errors"))
		return retry_all();
	*known = str_to_int(word, 0, 999, &status) && retry_on_status((unsigned)status);
	return *known ? retry_on_status((unsigned)status) : 0;
}

int parse_retry_on(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "conditions such as conn-failure, empty-response or 503");
	struct proxy *px = object;
	bool known, none = false;
	unsigned n = 0;

	(void)kw;
	if (!word)
		return -1;
	px->set.retry_on = 0;
	do {
		none |= !strcmp(word, "none");
		if (none && n)
			return stmt_error(st, st->at - 1, "'none' stands alone in 'retry-on'");
		px->set.retry_on |= retry_bits(word, &known);
		if (!known)
			return stmt_error(st, st->at - 1, "'%s' is no condition of 'retry-on': none, "
					  "conn-failure, empty-response, junk-response, "
					  "response-timeout, 0rtt-rejected, all-retryable-errors, or "
					  "401 403 404 408 421 425 429 500 501 502 503 504", word);
		n++;
	} while ((word = stmt_next(st)));
	return 0;
}

int parse_retry_budget(struct statement *st, const struct keyword *kw, void *object)
{
	enum { LEAST = 3 };
	struct retry_budget *budget = &((struct proxy *)object)->set.budget;
	int64_t percent, least = LEAST;

	*budget = (struct retry_budget){ .given = false };
	if (st->no)
		return 0;
	if (stmt_int(st, kw->name, 0, 100, &percent))
		return -1;
	if (stmt_take(st, "min") && stmt_int(st, "min", 0, INT_MAX, &least))
		return -1;
	*budget = (struct retry_budget){ true, (unsigned)percent, (unsigned)least };
	return 0;
}
