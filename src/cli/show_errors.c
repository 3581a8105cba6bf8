/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show errors: the last wrong request and response of each proxy, its bytes line by line
 * (management guide 9.3). Each piece is one line of the answer.
 */
#include "base/clock.h"
#include "cli/tables.h"
#include "exchange/bad_message.h"
#include "log/date.h"
#include "proxy/proxy.h"
#include "proxy/server.h"
#include "tally/tally.h"

#include <stdio.h>

enum { COLUMNS = 70 }; /* of a line of bytes, behind its position */

struct errors_state {
	const struct proxy *proxy; /* NULL: all */
	bool no_requests, no_responses;
	uint64_t event;            /* being shown */
	bool inside;               /* it has begun */
	unsigned place;            /* in the list: behind those that were shown */
	uint32_t at;               /* next byte */
};

static bool proxy_by_word(const char *word, const struct proxy **px)
{
	char by_id[32];
	int64_t id;

	if (str_to_int(word, INT32_MIN, INT32_MAX, &id)) {
		snprintf(by_id, sizeof(by_id), "#%lld", (long long)id);
		word = by_id;
		if (id == -1)
			return true;
	}
	*px = proxy_find(proxies_running, word, PROXY_FRONTEND);
	if (!*px)
		*px = proxy_find(proxies_running, word, PROXY_BACKEND);
	return *px != NULL;
}

/* By all processes; by this one, where it is asked alone. */
static uint64_t captured(void)
{
	return tally_shown_row < 0 ? counter_sum(&global_tally->bad_messages) :
				     global_tally->bad_messages;
}

static int errors_start(struct cli_call *call, struct err *err)
{
	const char *which = cli_arg(call, 0), *kind = cli_arg(call, 1);
	struct errors_state *state = CLI_STATE_OF(struct errors_state, call);
	struct timeval now = clock_wall();

	if (!strcmp(which, "request") || !strcmp(which, "response"))
		kind = which;
	else if (*which && !proxy_by_word(which, &state->proxy))
		return err_set(err, "No such proxy.");
	state->no_responses = !strcmp(kind, "request");
	state->no_requests = !strcmp(kind, "response");
	text_printf(call->out, "Total events captured on [%s.%03ld] : %llu\n",
		    date_of(now.tv_sec)->local, (long)now.tv_usec / 1000,
		    (unsigned long long)captured());
	return 0;
}

static bool is_wanted(const struct errors_state *state, const struct bad_message *bad)
{
	if (bad->response ? state->no_responses : state->no_requests)
		return false;
	return !state->proxy || state->proxy == bad->proxy || state->proxy == bad->other;
}

static const struct bad_message *at_place(unsigned place)
{
	const struct bad_message *bad;

	list_for_each(bad, &bad_messages, node)
		if (!place--)
			return bad;
	return NULL;
}

static void say_proxy(struct text *t, const char *kind, const struct proxy *px)
{
	if (px)
		text_printf(t, "%s %.200s (#%d)", kind, px->name, px->uuid);
	else
		text_printf(t, "%s <NONE> (#-1)", kind);
}

static void say_head(struct text *t, const struct bad_message *bad)
{
	text_printf(t, " \n[%s.%03ld] ", date_of(bad->when.tv_sec)->local,
		    (long)bad->when.tv_usec / 1000);
	say_proxy(t, bad->response ? "backend" : "frontend", bad->proxy);
	text_printf(t, ": invalid %s\n  ", bad->response ? "response" : "request");
	say_proxy(t, bad->response ? "frontend" : "backend", bad->other);
	if (bad->server)
		text_printf(t, ", server %.200s (#%d)", bad->server->id, bad->server->puid);
	else
		text_str(t, ", server <NONE> (#-1)");
	text_printf(t, ", event #%llu, src ", (unsigned long long)bad->event);
	addr_print_port(&bad->src, t);
	text_printf(t, "\n  session #%llu, len %u, error at position %u\n  %s\n  \n",
		    (unsigned long long)bad->stream, bad->len, bad->position,
		    bad->text ? bad->text : "accepted by option accept-invalid-http-*");
}

/* How many columns it takes: written as C does. */
static unsigned say_byte(char *out, char c)
{
	static const char digits[] = "0123456789ABCDEF", from[] = "\t\n\r\033\\", to[] = "tnre\\";
	const char *escaped = c ? strchr(from, c) : NULL;

	if (escaped) {
		out[0] = '\\';
		out[1] = to[escaped - from];
		return 2;
	}
	if (c >= 32 && c < 127) {
		out[0] = c;
		return 1;
	}
	out[0] = '\\';
	out[1] = 'x';
	out[2] = digits[(uint8_t)c >> 4];
	out[3] = digits[(uint8_t)c & 15];
	return 4;
}

/* One line from byte `at` on; where the next one begins. */
static uint32_t say_line(struct text *t, const struct bad_message *bad, uint32_t at)
{
	bool goes_on = at && bad->bytes[at - 1] != '\n';
	char line[COLUMNS + 4];
	unsigned len = 0;

	text_printf(t, "  %05u%c ", at, goes_on ? '+' : ' ');
	while (at < bad->len && len <= COLUMNS) {
		char piece[4];
		unsigned n = say_byte(piece, bad->bytes[at]);

		if (len + n > COLUMNS)
			break;
		memcpy(line + len, piece, n);
		len += n;
		if (bad->bytes[at++] == '\n')
			break;
	}
	text_add(t, line, len);
	text_char(t, '\n');
	return at;
}

/* A message that was replaced by a later one meanwhile is left. */
static enum cli_step errors_next(struct cli_call *call)
{
	struct errors_state *state = CLI_STATE_OF(struct errors_state, call);
	const struct bad_message *bad = at_place(state->place);

	if (!bad)
		return CLI_END;
	if (!state->inside && is_wanted(state, bad)) {
		say_head(call->out, bad);
		state->inside = true;
		state->event = bad->event;
		state->at = 0;
		return CLI_MORE;
	}
	if (state->inside && state->event == bad->event && state->at < bad->len) {
		state->at = say_line(call->out, bad, state->at);
		return CLI_MORE;
	}
	state->inside = false;
	state->place++;
	return CLI_MORE;
}

const struct cli_command cli_errors_commands[] = {
	{ .words = "show errors", .args = "[<px>] [request|response]", .level = LEVEL_OPERATOR,
	  .flags = CLI_GATHER | CLI_HEADED,
	  .start = errors_start, .next = errors_next, CLI_STATE(struct errors_state),
	  .help = "report last request and/or response errors for each proxy" },
	{ .words = NULL },
};
