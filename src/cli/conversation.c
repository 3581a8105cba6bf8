/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves bytes between a descriptor and a conversation (cli.c). One buffer in and one out; nothing
 * is read while something waits to be carried out or to be sent. */
#include "cli/conversation.h"

#include "base/list.h"
#include "base/wipe.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/session.h"
#include "event/loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN_SIZE = 4096, OUT_SIZE = CLI_OUTPUT_MIN };

struct conversation {
	struct source src;
	struct list node;
	struct cli *cli;
	struct task task;
	struct reap reap;
	bool readable, ended, closed;
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
		if (!feed(c) && !fill(c))
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

int conversation_open(int fd, struct cli *cli)
{
	struct conversation *c = cli ? calloc(1, sizeof(*c)) : NULL;

	if (!c) {
		cli_free(&cli);
		close(fd);
		return -1;
	}
	c->cli = cli;
	c->src = (struct source){ .fd = fd, .ready = conversation_ready };
	task_init(&c->task, conversation_task);
	cli_on_wake(cli, conversation_wake, c);
	cli_on_socket(cli, conversation_socket);
	if (loop_add(&c->src, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET) < 0) {
		close(fd);
		conversation_free(&c->reap);
		return -1;
	}
	list_append(&all, &c->node);
	return 0;
}

void conversation_serve_talk(int fd, int level)
{
	struct cli *cli = cli_new(level & TALK_LEVEL, CLI_SEVERITY_NONE);

	if (cli) {
		cli_make_talk(cli);
		cli_set_mode(cli, CLI_EXPERT, level & TALK_EXPERT);
		cli_set_mode(cli, CLI_EXPERIMENTAL, level & TALK_EXPERIMENTAL);
	}
	conversation_open(fd, cli);
}

void conversations_drop(void)
{
	struct conversation *c;

	while (!list_empty(&all)) {
		c = list_first(&all, struct conversation, node);
		list_remove(&c->node);
		task_cancel(&c->task);
		close(c->src.fd);
		conversation_free(&c->reap);
	}
}
