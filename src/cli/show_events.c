/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show events: the rings, and the messages of one of them; with -w it goes on as new ones
 * come, until the peer sends anything or goes away.
 */
#include "cli/modes.h"
#include "cli/tables.h"
#include "log/ring.h"

struct events_state {
	struct ring *ring;       /* rings live as long as the configuration */
	uint64_t position;       /* of the next message */
	bool wait, following;
	struct ring_reader reader;
	struct cli *cli;
};

static void events_written(struct ring_reader *reader)
{
	cli_wake(container_of(reader, struct events_state, reader)->cli);
}

static int events_list(struct cli_call *call)
{
	text_str(call->out, "Supported events sinks are listed below. Add -w(wait), -n(new). Any "
			    "key to stop\n");
	return 0;
}

static bool events_option(struct events_state *state, const char *word)
{
	if (!strcmp(word, "-w")) {
		state->wait = true;
	} else if (!strcmp(word, "-n")) {
		state->position = ring_end(state->ring);
	} else if (!strcmp(word, "-wn") || !strcmp(word, "-nw")) {
		state->wait = true;
		state->position = ring_end(state->ring);
	} else {
		return false;
	}
	return true;
}

static int events_start(struct cli_call *call, struct err *err)
{
	struct events_state *state = CLI_STATE_OF(struct events_state, call);

	if (!call->argc)
		return events_list(call);
	if (cli_level(call->cli) < LEVEL_OPERATOR)
		return err_set(err, "Permission denied");
	state->ring = ring_find(call->argv[0]);
	if (!state->ring)
		return err_set(err, "No such event sink");
	state->position = ring_oldest(state->ring);
	for (int i = 1; i < call->argc; i++)
		if (!events_option(state, call->argv[i]))
			return err_set(err, "unknown option");
	if (state->wait) {
		state->cli = call->cli;
		state->reader.written = events_written;
		state->following = true;
		ring_follow(state->ring, &state->reader);
	}
	return 0;
}

/* Without a name: one ring a piece. */
static enum cli_step events_list_next(struct cli_call *call)
{
	struct events_state *state = CLI_STATE_OF(struct events_state, call);
	const struct ring *ring = ring_next(state->ring);

	if (!ring)
		return CLI_END;
	text_printf(call->out, "    %-11s: type=buffer, %llu dropped, %.200s\n", ring->name,
		    (unsigned long long)ring->dropped,
		    ring->description ? ring->description : "");
	state->ring = (struct ring *)ring;
	return CLI_MORE;
}

static enum cli_step events_next(struct cli_call *call)
{
	struct events_state *state = CLI_STATE_OF(struct events_state, call);
	char message[CLI_PIECE - 1];
	ssize_t len;

	if (!call->argc)
		return events_list_next(call);
	if (cli_key_pressed(call->cli))
		return CLI_END;
	len = ring_read(state->ring, &state->position, message, sizeof(message));
	if (len < 0)
		return state->wait ? CLI_WAIT : CLI_END;
	if ((size_t)len > sizeof(message))
		len = sizeof(message);
	for (ssize_t i = 0; i < len; i++)
		text_char(call->out, message[i] == '\n' ? ' ' : message[i]);
	if (len)
		text_char(call->out, '\n');
	return CLI_MORE;
}

static void events_end(struct cli_call *call)
{
	struct events_state *state = CLI_STATE_OF(struct events_state, call);

	if (state && state->following)
		ring_unfollow(&state->reader);
}

/* Rings have the same names everywhere; what is wrong is said once. */
static bool events_gather(const struct cli_call *call)
{
	return call->argc > 0 && cli_level(call->cli) >= LEVEL_OPERATOR && ring_find(call->argv[0]);
}

static bool events_follow(const struct cli_call *call)
{
	if (!events_gather(call))
		return false;
	for (int i = 1; i < call->argc; i++)
		if (call->argv[i][0] == '-' && strchr(call->argv[i], 'w'))
			return true;
	return false;
}

const struct cli_command cli_events_commands[] = {
	{ .words = "show events", .args = "[<sink>] [-w] [-n]", .level = LEVEL_USER,
	  .flags = CLI_GATHER | CLI_KEY, .gathers = events_gather, .follows = events_follow,
	  .start = events_start, .next = events_next, .end = events_end,
	  CLI_STATE(struct events_state), .help = "show event sink state" },
	{ .words = NULL },
};
