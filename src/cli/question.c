/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks other processes over talks (event/talk.h) and passes on what they say. Gathering asks all
 * workers of all generations, this one too, one after the other, so that the answer of one stays
 * together. A process that ends meanwhile is left out, and one whose loop makes no turn for
 * PATIENCE_MS while it is asked (it was stopped, or hangs) is not waited for. Where they answer
 * when something happens, all are asked at once.
 */
#include "cli/question.h"

#include "base/clock.h"
#include "base/wipe.h"
#include "cli/modes.h"
#include "cli/talk_level.h"
#include "event/loop.h"
#include "event/talk.h"
#include "share/segment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 }; /* less than "stats timeout" by default */

/* -- one process ----------------------------------------------------------------------------- */

/* The connection. It outlives the question until the end of the turn: events that were polled
 * already still come. */
struct question_socket {
	struct source src;
	struct reap reap;
	struct question *question; /* NULL: has ended */
};

static void socket_ready(struct source *src, uint32_t events)
{
	struct question_socket *link = container_of(src, struct question_socket, src);

	(void)events;
	if (link->question)
		cli_wake(link->question->cli);
}

static void socket_free(struct reap *reap)
{
	free(container_of(reap, struct question_socket, reap));
}

static void socket_close(struct question_socket *link)
{
	link->question = NULL;
	if (link->src.registered)
		loop_remove(&link->src);
	close(link->src.fd);
	loop_reap(&link->reap, socket_free);
}

/* Sends the question. Takes over fd. 0, or -1 with errno. */
static int socket_open(struct question *q, int fd)
{
	size_t len = strlen(q->text);
	struct question_socket *link = calloc(1, sizeof(*link));
	ssize_t sent;

	if (!link) {
		close(fd);
		return -1;
	}
	link->src = (struct source){ .fd = fd, .ready = socket_ready };
	link->question = q;
	q->link = link;
	sent = send(fd, q->text, len, MSG_NOSIGNAL);
	if (sent >= 0 && (size_t)sent < len)
		errno = EMSGSIZE; /* more than such a socket takes at once */
	return sent != (ssize_t)len ||
	       loop_add(&link->src, EPOLLIN | EPOLLRDHUP | EPOLLET) < 0 ? -1 : 0;
}

/* Turns of the loop of who is asked: one that makes none while it is asked hangs or was stopped. */
static uint64_t question_turns(const struct question *q)
{
	return q->row ? atomic_load(&segment_row(segment, q->row)->pulse.turns) : clock_now_ms;
}

static void question_patient(struct question *q)
{
	q->turns = question_turns(q);
	timer_set(&q->patience, clock_now_ms + PATIENCE_MS);
}

static void patience_over(struct timer *timer)
{
	struct question *q = container_of(timer, struct question, patience);

	if (q->turns != question_turns(q)) {
		question_patient(q);
		return;
	}
	q->silent = true;
	cli_wake(q->cli);
}

static void question_opened(void *arg, int fd, const char *error)
{
	struct question *q = arg;

	q->ticket = 0;
	q->opened = true;
	if (fd < 0)
		snprintf(q->error, sizeof(q->error), "%s", error);
	else if (socket_open(q, fd) < 0)
		snprintf(q->error, sizeof(q->error), "%s", strerror(errno));
	cli_wake(q->cli);
}

/* Does the text end as a line that announces a payload? Where none was announced to us ("show fd
 * <<;show info") the other side must not wait for one. */
static bool ends_as_payload(const char *text, size_t len)
{
	return len >= 2 && !memcmp(text + len - 2, "<<", 2) &&
	       (len == 2 || text[len - 3] == ' ' || text[len - 3] == '\t');
}

/* The line, and its payload. NULL: out of memory. */
static char *question_text(const char *text, const char *payload)
{
	size_t len = strlen(text);
	char *line;
	int rc;

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	if (payload)
		rc = asprintf(&line, "%s <<\n%s\n", text, payload);
	else if (ends_as_payload(text, len))
		rc = asprintf(&line, "%.*s\\<<\n", (int)len - 2, text);
	else
		rc = asprintf(&line, "%s\n", text);
	return rc < 0 ? NULL : line;
}

int question_begin(struct question *q, struct cli_call *call, unsigned row, const char *text,
	      const char *payload, struct err *err)
{
	int level;

	*q = (struct question){ .cli = call->cli };
	if (!talk_open)
		return err_set(err, "there is no other process");
	if (row >= segment_rows(segment))
		return err_set(err, "there is no such process");
	q->text = question_text(text, payload);
	if (!q->text)
		return err_set(err, "Out of memory.");
	level = cli_level(call->cli) | (cli_mode(call->cli, CLI_EXPERT) ? TALK_EXPERT : 0) |
		(cli_mode(call->cli, CLI_EXPERIMENTAL) ? TALK_EXPERIMENTAL : 0) |
		(call->asks_service ? TALK_SERVICE : 0) |
		cli_severity(call->cli) << TALK_SEVERITY_SHIFT;
	q->ticket = talk_open(row, level, question_opened, q);
	if (q->opened)
		q->ticket = 0;
	q->row = row;
	timer_init(&q->patience, patience_over);
	question_patient(q);
	return 0;
}

/* An answer ends with an empty line: its line feed is kept back until more follows. */
static void pass_on(struct question *q, struct text *out, const char *bytes, size_t len)
{
	const char *feed = q->beheaded ? memchr(bytes, '\n', len) : NULL;

	if (feed) {
		q->beheaded = false;
		len -= (size_t)(feed + 1 - bytes);
		bytes = feed + 1;
	}
	if (q->beheaded || !len)
		return;
	if (q->held)
		text_char(out, '\n');
	q->held = bytes[len - 1] == '\n';
	text_add(out, bytes, len - q->held);
}

enum cli_step question_next(struct question *q, struct cli_call *call)
{
	char piece[CLI_PIECE - 64];
	ssize_t n;

	if (!q->opened)
		return CLI_WAIT;
	if (q->error[0]) {
		cli_say(call, LOG_L_ERR, "%s", q->error);
		return CLI_END;
	}
	if (q->ended)
		return CLI_END;
	n = recv(q->link->src.fd, piece, sizeof(piece), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (!q->silent)
			return CLI_WAIT;
		cli_say(call, LOG_L_WARNING, "Process %d does not answer.",
			(int)atomic_load(&segment_row(segment, q->row)->pid));
		q->ended = true;
		return CLI_END;
	}
	if (n <= 0) {
		q->ended = true;
		return CLI_END;
	}
	pass_on(q, call->out, piece, (size_t)n);
	return CLI_MORE;
}

void question_end(struct question *q)
{
	timer_cancel(&q->patience);
	if (q->ticket && talk_forget)
		talk_forget(q->ticket);
	if (q->link)
		socket_close(q->link);
	wipe_free(q->text);
	*q = (struct question){ .cli = NULL };
}

static bool needs_escape(char c)
{
	return c == ' ' || c == '\t' || c == '\\' || c == ';';
}

/* The words as a command again. NULL: out of memory; the caller frees it. */
static char *join_words(char **words)
{
	size_t len = 1;
	char *text, *at;
	char **w;

	for (w = words; *w; w++)
		len += 2 * strlen(*w) + 1;
	text = at = malloc(len);
	if (!text)
		return NULL;
	for (w = words; *w; w++) {
		if (w != words)
			*at++ = ' ';
		for (const char *c = *w; *c; *at++ = *c++)
			if (needs_escape(*c))
				*at++ = '\\';
	}
	*at = 0;
	return text;
}

struct one_state {
	struct question question;
	bool asked;
};

static int one_start(struct cli_call *call, struct err *err)
{
	char *joined = call->text ? NULL : join_words(call->words);
	const char *text = call->text ? call->text : joined;
	struct one_state *state = CLI_STATE_OF(struct one_state, call);
	int rc;

	rc = text ? question_begin(&state->question, call, call->asks, text, call->payload, err) :
		    err_set(err, "Out of memory.");
	state->asked = rc == 0;
	free(joined);
	return rc;
}

static enum cli_step one_next(struct cli_call *call)
{
	struct one_state *state = CLI_STATE_OF(struct one_state, call);

	return question_next(&state->question, call);
}

static void one_end(struct cli_call *call)
{
	struct one_state *state = CLI_STATE_OF(struct one_state, call);

	if (state && state->asked)
		question_end(&state->question);
}

const struct cli_command cli_question_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN, .start = one_start, .next = one_next,
	.end = one_end, CLI_STATE(struct one_state),
};

/* -- all of them ----------------------------------------------------------------------------- */

struct gather_state {
	struct question question;
	bool asking, named, headed;
	unsigned row;   /* of the next to be asked */
	char *text;
};

static int gather_start(struct cli_call *call, struct err *err)
{
	struct gather_state *state = CLI_STATE_OF(struct gather_state, call);

	state->row = 0;
	state->text = join_words(call->words);
	return state->text ? 0 : err_set(err, "Out of memory.");
}

static int gather_named_start(struct cli_call *call, struct err *err)
{
	struct gather_state *state = CLI_STATE_OF(struct gather_state, call);

	state->named = true;
	return gather_start(call, err);
}

static int gather_headed_start(struct cli_call *call, struct err *err)
{
	struct gather_state *state = CLI_STATE_OF(struct gather_state, call);

	state->headed = true;
	return gather_start(call, err);
}

/* Row 0 is the parent, which has no streams, but rings. */
static bool serves(unsigned row)
{
	return !row || atomic_load(&segment_row(segment, row)->pid) > 0;
}

static void say_name(struct text *out, unsigned n)
{
	const struct segment_row *row = segment_row(segment, n);

	if (!n)
		text_str(out, "# parent");
	else
		text_printf(out, "# worker %u", (unsigned)atomic_load(&row->number));
	text_printf(out, " (%d)", (int)atomic_load(&row->pid));
	if (n && atomic_load(&row->generation) != atomic_load(&segment_own->generation))
		text_str(out, " of another generation");
	text_char(out, '\n');
}

/* The next one is asked. false: there is none, or there is no way to ask. */
static bool gather_ask(struct gather_state *state, struct cli_call *call)
{
	struct err err;

	while (state->row < segment_rows(segment) && !serves(state->row))
		state->row++;
	if (state->row >= segment_rows(segment))
		return false;
	if (state->named)
		say_name(call->out, state->row);
	if (question_begin(&state->question, call, state->row++, state->text, call->payload, &err) < 0) {
		cli_say(call, LOG_L_ERR, "%s", err.text);
		return false;
	}
	state->question.beheaded = state->headed;
	state->asking = true;
	return true;
}

static enum cli_step gather_next(struct cli_call *call)
{
	struct gather_state *state = CLI_STATE_OF(struct gather_state, call);
	enum cli_step step;

	if (!state->asking)
		return gather_ask(state, call) ? CLI_MORE : CLI_END;
	if (state->question.error[0])
		step = CLI_END; /* it has gone meanwhile */
	else
		step = question_next(&state->question, call);
	if (step != CLI_END)
		return step;
	question_end(&state->question);
	state->asking = false;
	return CLI_MORE;
}

static void gather_end(struct cli_call *call)
{
	struct gather_state *state = CLI_STATE_OF(struct gather_state, call);

	if (!state)
		return;
	if (state->asking)
		question_end(&state->question);
	free(state->text);
}

const struct cli_command cli_gather_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN, .start = gather_start,
	.next = gather_next, .end = gather_end, CLI_STATE(struct gather_state),
};

const struct cli_command cli_gather_named_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN, .start = gather_named_start,
	.next = gather_next, .end = gather_end, CLI_STATE(struct gather_state),
};

const struct cli_command cli_gather_headed_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN, .start = gather_headed_start,
	.next = gather_next, .end = gather_end, CLI_STATE(struct gather_state),
};

/* -- all of them, for as long as it is wanted ------------------------------------------------ */

enum { LOOK_MS = 500 }; /* for processes that have begun meanwhile */

struct follower {
	struct list node;
	unsigned row;
	pid_t pid;
	struct question question;
	bool ended, greeted; /* greeted, CLI_FIRST: its first line has come */
	size_t len;
	char line[CLI_PIECE / 2]; /* what makes no whole line yet */
};

struct follow_state {
	struct list all;
	struct timer look;
	struct cli *cli;
	char *text;
	/* CLI_FIRST. */
	struct follower *teller; /* the only one that is still listened to */
	char *greeting;
	bool greeted;            /* it was said that all wait */
	bool parting;            /* the workers are to end it, and it ends when they have */
	uint64_t patience;       /* until then who says nothing is waited for */
};

static void look_again(struct timer *timer)
{
	cli_wake(container_of(timer, struct follow_state, look)->cli);
}

static int follow_start(struct cli_call *call, struct err *err)
{
	struct follow_state *state = CLI_STATE_OF(struct follow_state, call);

	list_init(&state->all);
	timer_init(&state->look, look_again);
	state->cli = call->cli;
	state->text = join_words(call->words);
	return state->text ? 0 : err_set(err, "Out of memory.");
}

static void follower_end(struct follower *f)
{
	if (!f->ended)
		question_end(&f->question);
	f->ended = true;
}

static bool is_followed(const struct follow_state *state, unsigned row, pid_t pid)
{
	const struct follower *f;

	list_for_each(f, &state->all, node)
		if (f->row == row && f->pid == pid)
			return true;
	return false;
}

/* One that does nothing for long is not suspicious here. */
static void follow(struct follow_state *state, struct cli_call *call, unsigned row, pid_t pid)
{
	struct follower *f = calloc(1, sizeof(*f));
	struct err err;

	if (!f)
		return;
	f->row = row;
	f->pid = pid;
	if (question_begin(&f->question, call, row, state->text, NULL, &err) < 0) {
		free(f);
		return;
	}
	timer_cancel(&f->question.patience);
	list_append(&state->all, &f->node);
}

static void follow_newcomers(struct follow_state *state, struct cli_call *call, unsigned first_row)
{
	unsigned row;
	pid_t pid;

	if (timer_armed(&state->look))
		return;
	for (row = first_row; row < segment_rows(segment); row++) {
		pid = atomic_load(&segment_row(segment, row)->pid);
		if (pid > 0 && !is_followed(state, row, pid))
			follow(state, call, row, pid);
	}
	timer_set(&state->look, clock_now_ms + LOOK_MS);
}

/* Whole lines; what is longer than there is room goes in pieces. */
static bool say_lines(struct follower *f, struct text *out)
{
	const char *end = memrchr(f->line, '\n', f->len);
	size_t len = end ? (size_t)(end - f->line) + 1 : f->len == sizeof(f->line) ? f->len : 0;

	text_add(out, f->line, len);
	f->len -= len;
	memmove(f->line, f->line + len, f->len);
	return len > 0;
}

/* True: something has come. A process that ends is not asked again. */
static bool follower_hears(struct follower *f)
{
	struct question *q = &f->question;
	ssize_t n;

	if (f->ended || !q->opened || f->len == sizeof(f->line))
		return false;
	n = q->error[0] ? 0 : recv(q->link->src.fd, f->line + f->len, sizeof(f->line) - f->len,
				   MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		follower_end(f);
		return false;
	}
	f->len += (size_t)n;
	return true;
}

static bool follower_read(struct follower *f, struct text *out)
{
	return follower_hears(f) && say_lines(f, out);
}

static enum cli_step follow_next(struct cli_call *call)
{
	struct follow_state *state = CLI_STATE_OF(struct follow_state, call);
	struct follower *f;
	bool alive = false;

	if (cli_key_pressed(call->cli))
		return CLI_END;
	follow_newcomers(state, call, 0);
	list_for_each(f, &state->all, node) {
		if (follower_read(f, call->out))
			return CLI_MORE;
		alive |= !f->ended;
	}
	return alive ? CLI_WAIT : CLI_END;
}

static void follow_end(struct cli_call *call)
{
	struct follow_state *state = CLI_STATE_OF(struct follow_state, call);
	struct follower *f, *next;

	if (!state || !state->cli)
		return;
	timer_cancel(&state->look);
	list_for_each_safe(f, next, &state->all, node) {
		follower_end(f);
		list_remove(&f->node);
		free(f);
	}
	free(state->greeting);
	free(state->text);
}

const struct cli_command cli_follow_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN | CLI_KEY, .start = follow_start,
	.next = follow_next, .end = follow_end, CLI_STATE(struct follow_state),
};

/* -- workers that wait, until the first of them has told ------------------------------------- */

static int first_start(struct cli_call *call, struct err *err)
{
	struct follow_state *state = CLI_STATE_OF(struct follow_state, call);

	state->patience = clock_now_ms + PATIENCE_MS;
	return follow_start(call, err);
}

/* Takes the line with which it begins, as soon as that is whole. What another one has not said (it
 * refuses) is shown at once. */
static void first_greets(struct follow_state *state, struct follower *f, struct text *out)
{
	char *end = f->greeted ? NULL : memchr(f->line, '\n', f->len);

	if (!end)
		return;
	f->greeted = true;
	*end++ = 0;
	if (!state->greeting)
		state->greeting = strdup(f->line);
	else if (strcmp(state->greeting, f->line) != 0)
		text_printf(out, "%s\n", f->line);
	f->len -= (size_t)(end - f->line);
	memmove(f->line, end, f->len);
}

/* All have begun, or one has something to tell: it may be said now, for the next request meets
 * somebody who waits for it. */
static bool first_greeting(struct follow_state *state, bool all, struct text *out)
{
	if (state->greeted || !state->greeting || (!all && clock_now_ms < state->patience))
		return false;
	text_printf(out, "%s\n", state->greeting);
	return state->greeted = true;
}

/* They are told to end it. */
static void first_part(struct follow_state *state, const struct follower *but)
{
	struct follower *f;

	list_for_each(f, &state->all, node) {
		if (f == but || f->ended)
			continue;
		if (f->question.link)
			shutdown(f->question.link->src.fd, SHUT_WR);
		else
			follower_end(f);
	}
}

/* Have they? It ends here behind that, so that the same may be asked again at once. */
static enum cli_step first_parted(struct follow_state *state)
{
	bool alive = false;
	struct follower *f;

	list_for_each(f, &state->all, node) {
		do
			f->len = 0;
		while (follower_hears(f));
		alive |= !f->ended;
	}
	timer_set(&state->look, clock_now_ms + LOOK_MS);
	return alive && clock_now_ms < state->patience ? CLI_WAIT : CLI_END;
}

static enum cli_step first_over(struct follow_state *state)
{
	state->patience = clock_now_ms + PATIENCE_MS;
	state->parting = true;
	first_part(state, NULL);
	return first_parted(state);
}

/* From now on it alone is listened to. */
static void first_chosen(struct follow_state *state, struct follower *teller, struct text *out)
{
	first_greeting(state, true, out);
	state->teller = teller;
	timer_cancel(&state->look);
	first_part(state, teller);
}

/* Its lines, but for the empty one at the end. */
static enum cli_step first_tells(struct follow_state *state, struct text *out)
{
	struct follower *f = state->teller;
	bool heard = follower_hears(f);

	if (!f->len)
		return heard ? CLI_MORE : f->ended ? first_over(state) : CLI_WAIT;
	pass_on(&f->question, out, f->line, f->len);
	f->len = 0;
	return CLI_MORE;
}

static enum cli_step first_next(struct cli_call *call)
{
	struct follow_state *state = CLI_STATE_OF(struct follow_state, call);
	bool alive = false, all = true, heard = false;
	struct follower *f;

	if (state->parting)
		return first_parted(state);
	if (cli_key_pressed(call->cli))
		return first_over(state);
	if (state->teller)
		return first_tells(state, call->out);
	follow_newcomers(state, call, 1);
	list_for_each(f, &state->all, node) {
		heard |= follower_hears(f);
		first_greets(state, f, call->out);
		if (f->greeted && f->len && f->line[0] != '\n') {
			first_chosen(state, f, call->out);
			return CLI_MORE;
		}
		alive |= !f->ended;
		all &= f->ended || f->greeted;
	}
	if (first_greeting(state, all, call->out) || heard)
		return CLI_MORE;
	return alive ? CLI_WAIT : CLI_END;
}

const struct cli_command cli_first_command = {
	.words = "", .level = LEVEL_USER, .flags = CLI_HIDDEN | CLI_KEY, .start = first_start,
	.next = first_next, .end = follow_end, CLI_STATE(struct follow_state),
};
