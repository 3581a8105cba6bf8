/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines "server-template": servers that share everything but the number behind their name. The
 * first is read like a server line, the others are copies of it. */
#include "proxy/proxy_conf.h"

#include "base/arena.h"
#include "base/str.h"

#include <limits.h>
#include <string.h>

enum { TEMPLATE_MOST = 100000, /* servers of one line: a typing error beyond that */
       DIGITS = 20 /* of a number behind a name */ };

/* "3" is 1 to 3, "2-5" is 2 to 5. */
static int template_range(struct statement *st, int64_t *low, int64_t *high)
{
	const char *word = stmt_need(st, "a number of servers, or a range"), *dash, *first;

	if (!word)
		return -1;
	*low = 1;
	dash = strchr(word, '-');
	first = dash ? arena_strndup(st->cfg->arena, word, (size_t)(dash - word)) : NULL;
	if (first && !str_to_int(first, 0, INT_MAX, low))
		return stmt_error(st, st->at - 1, "'%s' is no number, in the range '%s'", first, word);
	if (!str_to_int(dash ? dash + 1 : word, 0, INT_MAX, high))
		return stmt_error(st, st->at - 1, "'%s' is neither a number of servers nor a range "
				  "such as 1-3", word);
	if (*high < *low)
		return stmt_error(st, st->at - 1, "'%s' makes no server", word);
	if (*high - *low >= TEMPLATE_MOST)
		return stmt_error(st, st->at - 1, "'%s' are more than %d servers", word, TEMPLATE_MOST);
	return 0;
}

static void template_copy(struct statement *st, const struct server *first, const char *name)
{
	struct server *s = server_conf_new(st, first->proxy, name);

	s->set = first->set;
	s->spec = first->spec;
	s->refused = first->refused;
	server_conf_enter(s);
}

int parse_server_template(struct statement *st, const struct keyword *kw, void *object)
{
	const char *prefix = server_conf_name(st, object, "what the names begin with", DIGITS);
	struct arena *arena = st->cfg->arena;
	int64_t low, high, n;
	struct server *first;
	int rc;

	(void)kw;
	if (!prefix || template_range(st, &low, &high))
		return -1;
	first = server_conf_new(st, object, arena_printf(arena, "%s%lld", prefix, (long long)low));
	rc = server_conf_read(st, first);
	if (!rc && first->puid)
		return stmt_error(st, 0, "'id' cannot be given by server-template: each server has "
				  "its own");
	if (!rc && first->guid)
		return stmt_error(st, 0,
				  "'guid' cannot be given by server-template: each server has "
				  "its own");
	for (n = low + 1; n <= high; n++)
		template_copy(st, first, arena_printf(arena, "%s%lld", prefix, (long long)n));
	return rc;
}
