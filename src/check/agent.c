/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Agents: a connection, perhaps a greeting, one line. Up and down are the result of the check,
 * which health.c applies; weight, maxconn and administrative state go with it (report.c). Called by
 * walk_run.c. Changes nothing by itself.
 */
#include "check/agent.h"

#include "base/err.h"
#include "check/check.h"
#include "check/walk.h"

#include <limits.h>
#include <stdio.h>
#include <strings.h>

/* -- the line -------------------------------------------------------------------------------- */

static bool word_is(struct span word, const char *what)
{
	return word.len == strlen(what) && !strncasecmp(word.ptr, what, word.len);
}

/* The next word, without the blanks and commas around it. */
static struct span line_word(struct span *rest)
{
	static const char delimiters[] = " \t,";
	struct span word;
	size_t len = 0;

	while (rest->len && memchr(delimiters, *rest->ptr, 3)) {
		rest->ptr++;
		rest->len--;
	}
	while (len < rest->len && !memchr(delimiters, rest->ptr[len], 3))
		len++;
	word = (struct span){ rest->ptr, len };
	rest->ptr += len;
	rest->len -= len;
	return word;
}

static bool line_admin(struct span word, struct agent_line *line)
{
	if (word_is(word, "ready"))
		line->admin = AGENT_READY;
	else if (word_is(word, "drain"))
		line->admin = AGENT_DRAIN;
	else if (word_is(word, "maint"))
		line->admin = AGENT_MAINT;
	else
		return false;
	return true;
}

static bool line_state(struct span word, struct agent_line *line)
{
	bool up = word_is(word, "up");

	if (!up && !word_is(word, "down") && !word_is(word, "fail") && !word_is(word, "stopped"))
		return false;
	line->state = word;
	line->up = up;
	return true;
}

static bool line_number(struct span word, struct agent_line *line)
{
	static const char maxconn[] = "maxconn:";
	const size_t len = sizeof(maxconn) - 1;

	if (word.len >= len && !strncasecmp(word.ptr, maxconn, len))
		line->maxconn = (struct span){ word.ptr + len, word.len - len };
	else if (word.ptr[0] >= '0' && word.ptr[0] <= '9' && memchr(word.ptr, '%', word.len))
		line->weight = word;
	else
		return false;
	return true;
}

static void line_about(struct agent_line *line, struct span about)
{
	while (about.len && (*about.ptr == '#' || *about.ptr == ' ' || *about.ptr == '\t')) {
		about.ptr++;
		about.len--;
	}
	if (!line->about.ptr)
		line->about = about;
}

void agent_parse(struct span bytes, struct agent_line *line)
{
	struct span rest = bytes, word, name;
	const char *sharp;

	*line = (struct agent_line){ .up = false };
	for (word = line_word(&rest); word.len; word = line_word(&rest)) {
		sharp = memchr(word.ptr, '#', word.len);
		name = (struct span){ word.ptr, sharp ? (size_t)(sharp - word.ptr) : word.len };
		if (sharp && (!name.len || line_state(name, line))) {
			/* A description goes to the end of the line. */
			line_about(line, (struct span){ sharp, (size_t)(rest.ptr + rest.len - sharp) });
			return;
		}
		if (!line_admin(word, line) && !line_state(word, line) && !line_number(word, line))
			line_about(line, word);
	}
}

/* -- what it does ---------------------------------------------------------------------------- */

static const char *cut_string(struct span word, char *memory, size_t size)
{
	snprintf(memory, size, "%.*s", (int)word.len, word.ptr);
	return memory;
}

static void take_weight(const struct server *s, struct span weight, struct agent_words *words,
			struct err *err)
{
	char memory[32];
	const char *text = cut_string(weight, memory, sizeof(memory));
	unsigned value;

	if (weight.ptr[weight.len - 1] != '%')
		err_set(err, "Trailing garbage in weight string");
	else if (server_read_weight(s, text, &value, err) == 0) {
		words->has_weight = true;
		words->weight = value;
	}
}

static void take_maxconn(struct span maxconn, struct agent_words *words, struct err *err)
{
	char memory[32];
	int64_t n;

	if (!maxconn.len)
		err_set(err, "Require <maxconn>.");
	else if (!str_to_int(cut_string(maxconn, memory, sizeof(memory)), 0, INT32_MAX, &n))
		err_set(err, "maxconn string empty or preceded by garbage");
	else {
		words->has_maxconn = true;
		words->maxconn = (uint32_t)n;
	}
}

static void take_admin(enum agent_admin admin, struct agent_words *words)
{
	static const uint8_t sets[] = {
		[AGENT_READY] = 0,
		[AGENT_DRAIN] = ADMIN_FORCED_DRAIN,
		[AGENT_MAINT] = ADMIN_FORCED_MAINT,
	};

	words->has_admin = true;
	words->admin_set = sets[admin];
	words->admin_clear = (ADMIN_FORCED_MAINT | ADMIN_FORCED_DRAIN) & ~sets[admin];
}

static void say_result(struct walk *walk, const struct agent_line *line, const struct err *err)
{
	struct span about = line->about;

	if (err->text[0])
		about = span_of(err->text);
	if (!line->state.ptr) {
		if (about.ptr)
			text_printf(&walk->said, "%s : %.*s",
				    err->text[0] ? "agent warns" : "agent reports an error",
				    (int)about.len, about.ptr);
		return;
	}
	text_printf(&walk->said, "via agent : %.*s", (int)line->state.len, line->state.ptr);
	if (about.ptr && about.len)
		text_printf(&walk->said, " (%.*s)", (int)about.len, about.ptr);
}

static enum expect_result agent_expect(struct walk *walk, struct span bytes, bool last)
{
	const struct server *s = walk->check->server;
	struct agent_words *words = &walk->check->words;
	struct err err = { "" };
	struct agent_line line;
	size_t len = 0;

	while (len < bytes.len && bytes.ptr[len] != '\r' && bytes.ptr[len] != '\n')
		len++;
	if (len == bytes.len && !last)
		return EXPECT_WAIT;
	walk->status = CHECK_CHECKED;
	if (len == bytes.len) {
		text_str(&walk->said, "Ignoring incomplete line from agent");
		return EXPECT_REPORT;
	}
	agent_parse((struct span){ bytes.ptr, len }, &line);
	*words = (struct agent_words){ .has_admin = false };
	if (line.admin)
		take_admin(line.admin, words);
	if (line.weight.ptr)
		take_weight(s, line.weight, words, &err);
	if (line.maxconn.ptr)
		take_maxconn(line.maxconn, words, &err);
	if (line.state.ptr)
		walk->status = line.up ? CHECK_L7OK : CHECK_L7STS;
	say_result(walk, &line, &err);
	return EXPECT_REPORT;
}

/* -- the steps ------------------------------------------------------------------------------- */

static bool agent_greet(struct walk *walk, const struct step *step, struct text *out)
{
	(void)step;
	if (walk->check->agent_send)
		text_str(out, walk->check->agent_send);
	return true;
}

static struct step agent_step_expect = {
	.kind = STEP_EXPECT, .number = 2, .expect = { .kind = EXPECT_CUSTOM, .custom = agent_expect },
};
static struct step agent_step_send = {
	.next = &agent_step_expect, .kind = STEP_SEND, .send = { .build = agent_greet },
};
static struct step agent_step_connect = { .next = &agent_step_send, .kind = STEP_CONNECT,
					  .number = 1 };

const struct ruleset agent_rules = { .type = CHECK_AGENT, .first = &agent_step_connect };
