/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "add map" and "add acl": one entry, or the lines of a payload. A payload is taken whole or not at
 * all: its lines become entries aside as they come, a chunk a turn of the loop, and when the last
 * has come without a mistake they are merged, a piece a turn. All of that goes through the ordered
 * log. Whoever leaves in the middle has changed nothing.
 */
#include "cli/maps.h"

#include "cli/modes.h"
#include "cli/tables.h"
#include "share/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK_BYTES = 4096,   /* beyond that no further line is added to a change */
       CHUNK_PATTERNS = 64,  /* that one change makes */
       CHUNK_REGEX = 8,      /* the same of expressions, which are compiled */
       PAYLOAD_MOST = 256 << 20 };

enum load_phase { LOAD_SINGLE, LOAD_LINES, LOAD_DRAINS, LOAD_MERGES, LOAD_DONE };

struct load_state {
	enum load_phase phase;
	struct maps_answer answer;
	struct pattern_command command;
	const struct pattern_ref *ref;
	char token[64];
	char error[sizeof(struct err)]; /* the rest of the payload is read and dropped */
	bool ended;                     /* the payload */
	size_t taken;                   /* bytes of it */
	unsigned lines;
	unsigned chunk_lines;           /* most of one change */
	char *chunk;                    /* pairs of text and value */
	size_t chunk_len, chunk_size;
};

static void load_submit(struct load_state *state, enum pattern_change change)
{
	state->command.change = change;
	state->command.rest = state->chunk;
	state->command.rest_len = change == PATTERN_LOAD_LINES ? state->chunk_len : 0;
	maps_submit(&state->answer, &state->command);
	cli_wake(state->answer.cli);
}

/* -- lines ----------------------------------------------------------------------------------- */

static bool chunk_add(struct load_state *state, const char *text, const char *value)
{
	size_t text_len = strlen(text) + 1, value_len = strlen(value) + 1;
	size_t len = state->chunk_len + text_len + value_len;
	char *more;

	if (len > state->chunk_size) {
		more = realloc(state->chunk, 2 * len);
		if (!more)
			return false;
		state->chunk = more;
		state->chunk_size = 2 * len;
	}
	memcpy(state->chunk + state->chunk_len, text, text_len);
	memcpy(state->chunk + state->chunk_len + text_len, value, value_len);
	state->chunk_len = len;
	return true;
}

static void load_fail(struct load_state *state, const char *what)
{
	if (!*state->error)
		snprintf(state->error, sizeof(state->error), "line %u: %s", state->lines, what);
}

/* The first word is the key, the rest of the line the value; of an ACL all is the pattern. */
static void load_line(struct load_state *state, char *line)
{
	char *text = line + strspn(line, " \t"), *value = text + strlen(text);

	if (*state->error)
		return;
	state->lines++;
	state->taken += strlen(line) + 1;
	if (state->taken > PAYLOAD_MOST) {
		load_fail(state, "the payload is too long.");
		return;
	}
	if (state->ref->kind == PATTERN_VALUES) {
		value = text + strcspn(text, " \t");
		if (*value)
			*value++ = 0;
		value += strspn(value, " \t");
		if (!*value) {
			load_fail(state, "a key and a value are expected.");
			return;
		}
	}
	if (!*text)
		load_fail(state, "a pattern is expected.");
	else if (!chunk_add(state, text, value))
		load_fail(state, "Out of memory.");
}

/* What is there of the payload, up to a chunk. False: there is none now. */
static bool load_take(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);
	enum cli_payload got = CLI_PAYLOAD_NONE;
	unsigned n;
	char *line;

	state->chunk_len = 0;
	for (n = 0; n < state->chunk_lines && state->chunk_len < CHUNK_BYTES; n++) {
		got = cli_payload_line(call, &line);
		if (got != CLI_PAYLOAD_LINE)
			break;
		load_line(state, line);
	}
	state->ended = got != CLI_PAYLOAD_LINE && got != CLI_PAYLOAD_NONE;
	if (got == CLI_PAYLOAD_CUT)
		load_fail(state, "the payload ends here, without an empty line.");
	if (got == CLI_PAYLOAD_LONG) {
		state->lines++;
		load_fail(state, "it is longer than tune.bufsize.");
	}
	return n || state->ended;
}

/* -- phases ---------------------------------------------------------------------------------- */

static enum cli_step load_over(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	state->phase = LOAD_DONE;
	if (*state->error)
		cli_say(call, LOG_L_ERR, "%s", state->error);
	return CLI_END;
}

/* What follows a mistake is read, and dropped, before it is told. */
static enum cli_step load_drain(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	if (!state->ended && load_take(call))
		cli_wake(call->cli);
	return state->ended ? load_over(call) : CLI_WAIT;
}

static enum cli_step load_lines(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	if (*state->error) {
		load_submit(state, PATTERN_LOAD_END);
		state->phase = LOAD_DRAINS;
	} else if (state->ended) {
		load_submit(state, PATTERN_LOAD_MERGE);
		state->phase = LOAD_MERGES;
	} else if (load_take(call)) {
		if (state->chunk_len && !*state->error)
			load_submit(state, PATTERN_LOAD_LINES);
		cli_wake(call->cli);
	}
	return CLI_WAIT;
}

static enum cli_step load_merge(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	if (!*state->error && !strcmp(state->answer.said, PATTERN_MORE)) {
		load_submit(state, PATTERN_LOAD_MERGE);
		return CLI_WAIT;
	}
	load_submit(state, PATTERN_LOAD_END);
	return load_over(call);
}

static enum cli_step load_next(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	if (!state->answer.answered)
		return CLI_WAIT;
	if (state->answer.failed && !*state->error)
		snprintf(state->error, sizeof(state->error), "%s", state->answer.said);
	switch (state->phase) {
	case LOAD_LINES:
		return load_lines(call);
	case LOAD_DRAINS:
		return load_drain(call);
	case LOAD_MERGES:
		return load_merge(call);
	default:
		return load_over(call);
	}
}

static void load_end(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	if (!state)
		return;
	maps_forget(&state->answer);
	if (state->phase == LOAD_LINES || state->phase == LOAD_MERGES) {
		state->command.change = PATTERN_LOAD_END;
		state->command.rest_len = 0;
		pattern_submit(&state->command, NULL, NULL);
	}
	free(state->chunk);
}

/* -- the beginning --------------------------------------------------------------------------- */

static unsigned lines_at_once(const struct pattern_ref *ref)
{
	const struct pattern_use *use;
	unsigned most = CHUNK_PATTERNS / ((unsigned)ref->use_count + 1) + 1;

	for (use = ref->uses; use; use = use->next)
		if (use->set->match == MATCH_REG)
			most = most < CHUNK_REGEX ? most : CHUNK_REGEX;
	return most;
}

static int add_usage(const struct cli_call *call, struct err *err)
{
	if (maps_is_map(call))
		return err_set(err, "'add map' expects three parameters (map identifier, key and value) "
				    "or one parameter (map identifier) and a payload");
	return err_set(err, "'add acl' expects two parameters: ACL identifier and pattern.");
}

static struct pattern_ref *add_ref(const struct cli_call *call, int i, struct err *err)
{
	struct pattern_ref *ref;

	if (maps_is_map(call))
		return maps_ref(call, i, err);
	ref = pattern_ref_named(cli_arg(call, i), true);
	if (!ref)
		ref = maps_ref(call, i, err);
	if (!ref || ref->kind == PATTERN_ACL)
		return ref;
	err_set(err, "This ACL is shared with a map containing samples. You must use the command "
		     "'add map' to add values.");
	return NULL;
}

static void add_payload(struct cli_call *call)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);
	static unsigned number;

	snprintf(state->token, sizeof(state->token), "%u.%d.%u", segment_own_row, (int)getpid(),
		 ++number);
	state->command.id = state->token;
	state->phase = LOAD_LINES;
	state->chunk_lines = lines_at_once(state->ref);
	load_submit(state, PATTERN_LOAD_BEGIN);
}

static int add_begin(struct cli_call *call, struct err *err)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);
	bool payload = cli_payload_comes(call);
	int i = 0, words = maps_is_map(call) ? 2 : 1;
	const char *version;

	if (maps_version(call, &i, &version, err))
		return -1;
	if (!*cli_arg(call, i) || (payload ? call->argc > i + 1 : call->argc <= i + words))
		return add_usage(call, err);
	state->ref = add_ref(call, i, err);
	if (!state->ref)
		return -1;
	state->answer.cli = call->cli;
	state->command.key = state->ref->key;
	state->command.version = version;
	if (payload) {
		add_payload(call);
		return 0;
	}
	state->command.text = cli_arg(call, i + 1);
	state->command.value = cli_arg(call, i + 2);
	load_submit(state, PATTERN_INSERT);
	return 0;
}

static int add_start(struct cli_call *call, struct err *err)
{
	struct load_state *state = CLI_STATE_OF(struct load_state, call);

	int rc = add_begin(call, err);

	if (rc == 0 || !cli_payload_comes(call))
		return rc;
	/* The mistake is told when the payload has been read. */
	snprintf(state->error, sizeof(state->error), "%s", err->text);
	state->answer.cli = call->cli;
	state->answer.answered = true;
	state->phase = LOAD_DRAINS;
	state->chunk_lines = CHUNK_PATTERNS;
	return 0;
}

const struct cli_command cli_maps_load_commands[] = {
	{ .words = "add acl", .args = "[@<ver>] <acl> <pattern>", .level = LEVEL_ADMIN,
	  .flags = CLI_STREAM, .start = add_start, .next = load_next, .end = load_end,
	  CLI_STATE(struct load_state), .help = "add an acl entry" },
	{ .words = "add map", .args = "[@<ver>] <map> <key> <val>", .level = LEVEL_ADMIN,
	  .flags = CLI_STREAM, .start = add_start, .next = load_next, .end = load_end,
	  CLI_STATE(struct load_state),
	  .help = "add a map entry (payload supported instead of key/val)" },
	{ .words = NULL },
};
