/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of rules on the packets of a connection: their mark for the firewall and routing, their
 * TOS field (manual 4.2: set-mark, set-tos; set-fc-mark, set-fc-tos, set-bc-mark, set-bc-tos).
 * Towards the client they are set at once. Towards the server they hold from the first packet on:
 * they are kept until it is connected to, and only connections that have the same are used again.
 * Rows of tables; called by expr/rules.c. */
#include "stream/packets.h"

#include "expr/expr.h"
#include "proxy/proxy.h"
#include "stream/actions.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum { ALL_LISTS = AT_CONN | AT_SESSION | AT_REQUESTS | AT_RESPONSE };
enum { CLIENT_MARK, CLIENT_TOS, SERVER_MARK, SERVER_TOS };

static bool is_mark(const struct rule *rule)
{
	return rule->action->data == CLIENT_MARK || rule->action->data == SERVER_MARK;
}

static uint32_t most(const struct rule *rule)
{
	return is_mark(rule) ? UINT32_MAX : 255;
}

/* Decimal, or hexadecimal behind "0x"; else an expression. */
static int parse_number(struct statement *st, struct rule *rule, const char *args)
{
	const char *word = stmt_peek(st);
	unsigned long long n;
	char *end;

	(void)args;
	if (is_mark(rule))
		((struct proxies *)config_data(st->cfg, &proxy_module))->global.sets_mark = true;
	if (word && !isdigit((unsigned char)*word) && *word != '-')
		return rule_parse_expr(st, rule);
	word = stmt_need(st, is_mark(rule) ? "a mark" : "a value of the TOS field");
	if (!word)
		return -1;
	errno = 0;
	n = strtoull(word, &end, word[0] == '0' && (word[1] | 0x20) == 'x' ? 16 : 10);
	if (errno || !*word || *end || *word == '-' || n > most(rule))
		return stmt_error(st, st->at - 1, "a number from 0 to %u is expected, in decimal "
				  "or as 0x..., or an expression", most(rule));
	rule->num = (int64_t)n;
	return 0;
}

void client_set_mark(const struct view *view, uint32_t mark)
{
	link_set_mark(view->client_link, mark);
}

/* Of a socket for both families, the packets of either. */
void client_set_tos(const struct view *view, int tos)
{
	link_set_tos(view->client_link, view->src && view->src->family == AF_INET6, tos);
}

static bool keep_for_server(struct view *view, bool mark, uint32_t num)
{
	struct stream_extra *extra = extra_get(view->stream);
	struct view_treatment *t;

	if (!extra)
		return false;
	t = view->treatment = &extra->treatment;
	if (mark) {
		t->mark = num;
		t->has_mark = true;
	} else {
		t->tos = (uint8_t)num;
		t->has_tos = true;
	}
	return true;
}

/* What an expression gives beyond the range changes nothing. */
static enum action_result action_packets(const struct rule *rule, struct view *view,
					 unsigned place)
{
	struct sample smp = { .num = rule->num };

	if (rule->expr && expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND)
		return ACTION_NEXT;
	if (smp.num < 0 || smp.num > most(rule))
		return ACTION_NEXT;
	switch (rule->action->data) {
	case CLIENT_MARK:
		client_set_mark(view, (uint32_t)smp.num);
		return ACTION_NEXT;
	case CLIENT_TOS:
		client_set_tos(view, (int)smp.num);
		return ACTION_NEXT;
	default:
		return keep_for_server(view, is_mark(rule), (uint32_t)smp.num) ? ACTION_NEXT :
										ACTION_ERROR;
	}
}

bool packets_of(const struct stream *s, struct dial_packets *packets)
{
	const struct view_treatment *t = s->extra ? &s->extra->treatment : NULL;

	if (likely(!t || !(t->has_mark || t->has_tos)))
		return false;
	*packets = (struct dial_packets){ t->has_mark, t->has_tos, t->tos, t->mark };
	return true;
}

uint64_t packets_key_set(const struct stream *s)
{
	struct dial_packets p;

	if (!packets_of(s, &p))
		return 0;
	return ((uint64_t)p.mark << 32 | (uint64_t)p.tos << 8 | (uint64_t)p.has_tos << 1 |
		p.has_mark) * 0x9e3779b97f4a7c15ull;
}

#define ROW(name, what, lists, text)                                                          \
	{ name, .where = lists, .parse = parse_number, .run = action_packets, .data = what,    \
	  .help = text }

const struct action packet_actions[] = {
	ROW("set-fc-mark", CLIENT_MARK, ALL_LISTS,
	    "marks packets to the client, for firewall and routing"),
	ROW("set-fc-tos", CLIENT_TOS, ALL_LISTS, "sets the TOS field of packets to the client"),
	ROW("set-mark", CLIENT_MARK, ALL_LISTS, "the old name of set-fc-mark"),
	ROW("set-tos", CLIENT_TOS, ALL_LISTS, "the old name of set-fc-tos"),
	{ 0 },
};

const struct action server_packet_actions[] = {
	ROW("set-bc-mark", SERVER_MARK, AT_REQUESTS,
	    "marks packets to the server, for firewall and routing"),
	ROW("set-bc-tos", SERVER_TOS, AT_REQUESTS, "sets the TOS field of packets to the server"),
	{ 0 },
};
