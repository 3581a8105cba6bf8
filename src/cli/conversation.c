/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves bytes between a descriptor and a conversation (interpreter.c). One buffer in and one out;
 * nothing is read while something waits to be carried out or to be sent. */
#include "cli/conversation.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/wipe.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/modes.h"
#include "cli/talk_level.h"
#include "event/loop.h"
#include "event/profile.h"
#include "stream/stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN_SIZE = 4096, OUT_SIZE = CLI_OUTPUT_MIN,
       STILL_MS = 5000 }; /* show events -w, or who does not read */

struct conversation {
	struct source src;
	struct list node;
	struct cli *cli;
	struct task task;
	struct reap reap;
	bool readable, ended, closed;
	bool gone; /* the peer: it neither sends nor reads any more */
	bool talk; /* another process of the service asks: this one must not end meanwhile */
	uint64_t moved_ms; /* when bytes came or left */
	size_t in_len, out_at, out_len;
	char in[IN_SIZE], out[OUT_SIZE];
};

static struct list all = LIST_INIT(all);

static void conversation_free(struct reap *reap)
{
	struct conversation *c = container_of(reap, struct conversation, reap);

	cli_free(&c->cli);
	wipe_free(c);
}

static void conversation_close(struct conversation *c)
{
	if (c->closed)
		return;
	c->closed = true;
	loop_remove(&c->src);
	close(c->src.fd);
	task_cancel(&c->task);
	list_remove(&c->node);
	loop_reap(&c->reap, conversation_free);
	if (c->talk)
		streams_release_asking();
}

/* false: what was said has not left yet, or cannot leave any more. */
static bool flush(struct conversation *c)
{
	ssize_t n;

	while (c->out_at < c->out_len) {
		n = send(c->src.fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EAGAIN)
				conversation_close(c);
			return false;
		}
		c->out_at += (size_t)n;
		c->moved_ms = clock_now_ms;
	}
	c->out_at = c->out_len = 0;
	return true;
}

/* Gives what was read to the conversation. false: it takes nothing now. */
static bool feed(struct conversation *c)
{
	size_t taken = c->in_len ? cli_input(c->cli, c->in, c->in_len) : 0;

	c->in_len = wipe_move(c->in, taken, c->in_len);
	return taken > 0;
}

/* false: there is nothing new. */
static bool fill(struct conversation *c)
{
	ssize_t n;

	if (!c->readable || c->ended || c->in_len == IN_SIZE)
		return false;
	n = recv(c->src.fd, c->in + c->in_len, IN_SIZE - c->in_len, 0);
	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0) {
		c->readable = false;
		if (errno != EAGAIN)
			conversation_close(c);
		return false;
	}
	c->in_len += (size_t)n;
	c->moved_ms = clock_now_ms;
	if (!n) {
		c->ended = true;
		cli_input_end(c->cli);
	}
	return true;
}

static void conversation_run(struct conversation *c)
{
	while (!c->closed && flush(c)) {
		c->out_len = cli_output(c->cli, c->out, OUT_SIZE);
		if (c->out_len)
			continue;
		if (cli_done(c->cli)) {
			conversation_close(c);
			return;
		}
		if (feed(c) || fill(c))
			continue;
		if (c->gone && !c->closed) /* nobody waits for what the command waits for */
			conversation_close(c);
		return;
	}
}

static void conversation_ready(struct source *src, uint32_t events)
{
	struct conversation *c = container_of(src, struct conversation, src);

	if (c->closed)
		return;
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		c->readable = true;
	if (events & (EPOLLHUP | EPOLLERR))
		c->gone = true;
	conversation_run(c);
}

static void conversation_task(struct task *task)
{
	struct conversation *c = container_of(task, struct conversation, task);

	conversation_run(c);
}

static void conversation_wake(void *arg)
{
	struct conversation *c = arg;

	if (!c->closed)
		task_wake(&c->task);
}

static int conversation_socket(void *arg)
{
	const struct conversation *c = arg;

	return c->closed ? -1 : c->src.fd;
}

static struct conversation *open_here(int fd, struct cli *cli)
{
	struct conversation *c = cli ? calloc(1, sizeof(*c)) : NULL;

	if (!c) {
		cli_free(&cli);
		close(fd);
		return NULL;
	}
	c->cli = cli;
	c->moved_ms = clock_now_ms;
	c->src = (struct source){ .fd = fd, .ready = conversation_ready };
	task_init(&c->task, conversation_task);
	cli_on_wake(cli, conversation_wake, c);
	cli_on_socket(cli, conversation_socket);
	if (loop_add(&c->src, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET) < 0) {
		close(fd);
		conversation_free(&c->reap);
		return NULL;
	}
	list_append(&all, &c->node);
	return c;
}

int conversation_open(int fd, struct cli *cli)
{
	return open_here(fd, cli) ? 0 : -1;
}

void conversation_serve_talk(int fd, int level)
{
	struct cli *cli = cli_new(level & TALK_LEVEL, (level & TALK_SEVERITY) >> TALK_SEVERITY_SHIFT);
	struct conversation *c;

	if (cli) {
		cli_make_talk(cli, !(level & TALK_SERVICE));
		cli_set_mode(cli, CLI_EXPERT, level & TALK_EXPERT);
		cli_set_mode(cli, CLI_EXPERIMENTAL, level & TALK_EXPERIMENTAL);
	}
	c = open_here(fd, cli);
	if (!c)
		return;
	c->talk = true;
	streams_hold_asking();
}

void conversations_drop(void)
{
	struct conversation *c;

	while (!list_empty(&all)) {
		c = list_first(&all, struct conversation, node);
		list_remove(&c->node);
		task_cancel(&c->task);
		close(c->src.fd);
		if (c->talk)
			streams_release_asking();
		conversation_free(&c->reap);
	}
}

/* ---- a program that executes itself anew ------------------------------------------------- */

static bool is_clean(const struct conversation *c)
{
	return !c->ended && !c->in_len && c->out_at == c->out_len && cli_is_clean(c->cli);
}

bool conversations_busy(void)
{
	const struct conversation *c;

	list_for_each(c, &all, node)
		if (!is_clean(c) && clock_now_ms - c->moved_ms < STILL_MS)
			return true;
	return false;
}

void conversations_give(void (*fn)(int fd, const char *text, void *arg), void *arg)
{
	const struct conversation *c;
	char text[CLI_TEXT];

	list_for_each(c, &all, node) {
		if (!is_clean(c))
			continue;
		cli_to_text(c->cli, text, sizeof(text));
		fn(c->src.fd, text, arg);
	}
}

void conversation_resume(int fd, const char *text)
{
	conversation_open(fd, cli_from_text(text));
}

const struct profile_name conversation_profile = PROFILE_NAME(conversation_ready);
const struct profile_name conversation_task_profile = PROFILE_NAME(conversation_task);
