/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command on its way through the ordered log is its level, its severity output, its words, each
 * with its NUL, an empty word, and the payload if there is one. Called by interpreter.c and by
 * whoever applies changes. Levels were checked where the command came in, and are checked again.
 */
#include "cli/shared.h"

#include "base/wipe.h"
#include "cli/cli.h"
#include "cli/modes.h"

#include <stdlib.h>

enum { WORDS_MAX = 64 };

/* -- there ----------------------------------------------------------------------------------- */

static int shared_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	char *copy = len > 2 ? malloc(len + 1) : NULL, *at, *end, *words[WORDS_MAX + 1];
	int n = 0, rc;

	if (!copy)
		return err_set(err, "Out of memory.");
	memcpy(copy, bytes, len);
	copy[len] = 0;
	end = copy + len;
	for (at = copy + 2; at < end && *at && n < WORDS_MAX; at += strlen(at) + 1)
		words[n++] = at;
	words[n] = NULL;
	rc = cli_apply(copy[0], copy[1], words, at + 1 < end ? at + 1 : NULL, said, err);
	wipe_free(copy);
	return rc;
}

const struct change_kind cli_change = { .name = "command", .apply = shared_apply };

/* -- here ------------------------------------------------------------------------------------ */

struct shared_state {
	struct cli *cli;
	unsigned ticket;
	bool answered, failed;
	char *said; /* NULL: nothing */
};
_Static_assert(sizeof(struct shared_state) <= CLI_SUBMIT_STATE, "room for the state of a submission");

static void shared_done(void *arg, const char *error, const char *said, size_t len)
{
	struct shared_state *state = arg;

	state->answered = true;
	state->failed = error != NULL;
	state->said = error ? strdup(error) : len ? strndup(said, len) : NULL;
	cli_wake(state->cli);
}

static char *add_string(char *at, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(at, text, size);
	return at + size;
}

void cli_submit(struct cli_call *call, const struct change_kind *kind, const void *bytes, size_t len)
{
	struct shared_state *state = CLI_STATE_OF(struct shared_state, call);

	state->cli = call->cli;
	state->ticket = change_submit(kind, bytes, len, shared_done, state);
}

static int shared_start(struct cli_call *call, struct err *err)
{
	size_t len = 3 + (call->payload ? strlen(call->payload) + 1 : 0);
	char *bytes, *at, **word;

	for (word = call->words; *word; word++)
		len += strlen(*word) + 1;
	bytes = malloc(len);
	if (!bytes)
		return err_set(err, "Out of memory.");
	bytes[0] = (char)cli_level(call->cli);
	bytes[1] = (char)cli_severity(call->cli);
	at = bytes + 2;
	for (word = call->words; *word; word++)
		at = add_string(at, *word);
	*at++ = 0;
	if (call->payload)
		add_string(at, call->payload);
	cli_submit(call, &cli_change, bytes, len);
	wipe_free(bytes);
	return 0;
}

enum cli_step cli_submit_next(struct cli_call *call)
{
	struct shared_state *state = CLI_STATE_OF(struct shared_state, call);

	if (!state->answered)
		return CLI_WAIT;
	if (state->failed)
		cli_say(call, LOG_L_ERR, "%s", state->said ? state->said : "Out of memory.");
	else if (state->said)
		text_str(call->out, state->said);
	return CLI_END;
}

void cli_submit_end(struct cli_call *call)
{
	struct shared_state *state = CLI_STATE_OF(struct shared_state, call);

	if (!state)
		return;
	if (!state->answered)
		change_forget(state->ticket);
	free(state->said);
}

const struct cli_command cli_shared_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN, .start = shared_start,
	.next = cli_submit_next, .end = cli_submit_end,
	KIND_ROW(struct shared_state) .state_size = CLI_SUBMIT_STATE,
};
