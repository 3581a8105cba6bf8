/* SPDX-License-Identifier: BSD-2-Clause */
/* From mode tcp to HTTP, in the middle of a stream: the action switch-mode of tcp-request content,
 * and what happens to the stream. Called by rules, and by the choice of a backend (rules.c). The
 * rules that have run over the bytes do not run again; the step behind reads the head. */
#include "stream/upgrade.h"

#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/kind.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

bool stream_upgrade(struct stream *s)
{
	struct pump *request = &s->relay.request;
	struct buf *held = request->buf;

	/* The end of the input, too, is seen anew, by whoever reads the head. */
	if (request->flags & (PUMP_EOF | PUMP_READ_ERROR))
		*s->relay.client.flags |= CONN_READABLE;
	request->buf = NULL;
	request->flags = 0;
	stream_expire_never(s);
	s->traits |= IS_UPGRADED;
	if (!stream_of_messages->begin(s, &held)) {
		buffer_give(&held);
		return false;
	}
	s->origin->upgraded = UPGRADED_ANY;
	return true;
}

static int parse_mode(struct statement *st, struct rule *rule, const char *args)
{
	enum proto proto;

	(void)args;
	rule->proxy->upgrades = true;
	if (!(rule->proxy->caps & (PROXY_FRONTEND | PROXY_DEFAULTS)))
		return stmt_error(st, st->at - 1, "only a frontend can switch to another mode");
	if (!stmt_take(st, "http"))
		return stmt_error(st, st->at, "'http' is expected, the one mode to switch to");
	if (!stmt_take(st, "proto"))
		return 0;
	proto = proto_take(st, PROTO_CLIENTS);
	if (proto > PROTO_NONE) {
		rule->num = proto;
		return 0;
	}
	if (proto == PROTO_UNSET && !stmt_need(st, "the name of a protocol"))
		return -1;
	return stmt_error(st, st->at - 1, "'%s' is no version of HTTP: h1 and h2 are",
			  st->words[st->at - 1].text);
}

static enum action_result action_mode(const struct rule *rule, struct view *view, unsigned place)
{
	struct stream *s = view->stream;

	(void)place;
	if (s->exchange)
		return ACTION_ACCEPT;
	if (!stream_upgrade(s))
		return ACTION_ERROR;
	if (rule->num)
		s->origin->upgraded = (uint8_t)rule->num;
	return ACTION_ACCEPT;
}

const struct action upgrade_actions[] = {
	{ "switch-mode", .final = true, .where = AT_REQUESTS, .parse = parse_mode,
	  .run = action_mode, .help = "takes what the client says for HTTP from now on: 'http'" },
	{ 0 },
};
