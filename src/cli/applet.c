/* SPDX-License-Identifier: BSD-2-Clause */
/* Ties a conversation (interpreter.c) to a stream: what the request pump sends is its input, what
 * it says is read by the response pump. Nothing is called back from within a pump's run: a task
 * tells the pumps that there is something to say. */
#include "cli/applet.h"

#include "base/kind.h"
#include "base/pool.h"
#include "cli/cli.h"
#include "cli/stats_conf.h"
#include "event/profile.h"
#include "net/listener.h"
#include "relay/end.h"
#include "relay/pump.h"
#include "stream/extra.h"
#include "stream/stream.h"

struct cli_applet {
	uint16_t flags; /* CONN_* readiness, as the pumps see it */
	struct end *end;
	const struct listener *listener;
	struct cli *cli;
	struct task task;
	unsigned timeout_ms; /* of which the stream knows */
	struct reap reap;
	KIND_MEMBER
};

static struct pool applet_pool = POOL_INIT("cli", sizeof(struct cli_applet));

static void applet_task(struct task *task)
{
	struct cli_applet *a = container_of(task, struct cli_applet, task);

	if (a->end)
		end_ready(a->end);
	if (!a->end || a->timeout_ms == cli_timeout(a->cli))
		return;
	a->timeout_ms = cli_timeout(a->cli);
	end_timeout_changed(a->end);
}

/* What it has asked others for may be answered after its end was closed, in the same turn. */
static void applet_wake(void *arg)
{
	struct cli_applet *a = KIND_OF(struct cli_applet, arg);

	if (!a->end)
		return;
	a->flags |= CONN_READABLE;
	task_wake(&a->task);
}

static enum io applet_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct cli_applet *a = KIND_OF(struct cli_applet, end_applet(end));

	a->flags &= (uint16_t)~CONN_READABLE; /* a command may wake itself */
	*got = size >= CLI_OUTPUT_MIN ? cli_output(a->cli, buf, size) : 0;
	if (!(a->flags & CONN_WRITABLE) && cli_takes(a->cli)) {
		a->flags |= CONN_WRITABLE; /* it was busy; the rest of the input may come */
		task_wake(&a->task);
	}
	if (*got) {
		a->flags |= CONN_READABLE;
		return IO_OK;
	}
	return cli_done(a->cli) ? IO_EOF : IO_AGAIN;
}

static enum io applet_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct cli_applet *a = KIND_OF(struct cli_applet, end_applet(end));

	(void)more;
	*sent = cli_input(a->cli, buf, len);
	explicit_bzero((void *)buf, *sent); /* it may hold a key; who sends it is done with it */
	applet_wake(a);
	if (*sent < len)
		a->flags &= (uint16_t)~CONN_WRITABLE;
	return *sent ? IO_OK : IO_AGAIN;
}

static void applet_finish(struct end *end)
{
	struct cli_applet *a = KIND_OF(struct cli_applet, end_applet(end));

	cli_input_end(a->cli);
	applet_wake(a);
}

/* Listeners are handed over on Unix sockets with "expose-fd listeners" alone. */
static int applet_socket(void *arg)
{
	const struct cli_applet *a = KIND_OF(const struct cli_applet, arg);

	if (!a->end || !(a->listener->bind->options.on & BIND_EXPOSE_FD) ||
	    a->listener->addr.family != AF_UNIX)
		return -1;
	return end_conn(end_peer(a->end))->src.fd;
}

/* The end is the server's of its stream, which may have variables from now on. */
static void applet_view(void *arg, struct view *view)
{
	const struct cli_applet *a = KIND_OF(const struct cli_applet, arg);
	struct stream *s = a->end ? container_of(a->end, struct stream, relay.server) : NULL;

	if (!s)
		return;
	extra_get(s);
	stream_view(s, view, NULL);
}

static void applet_free(struct reap *reap)
{
	struct cli_applet *a = container_of(reap, struct cli_applet, reap);

	cli_free(&a->cli);
	pool_give(&applet_pool, &a);
}

static void applet_close(struct end *end, bool reset)
{
	struct cli_applet *a = KIND_OF(struct cli_applet, end_applet(end));

	(void)reset;
	a->end = NULL;
	task_cancel(&a->task);
	loop_reap(&a->reap, applet_free);
}

static unsigned applet_timeout(const struct end *end)
{
	const struct cli_applet *a = KIND_OF(const struct cli_applet, end_applet(end));

	return cli_timeout(a->cli);
}

static bool applet_busy(const struct end *end)
{
	const struct cli_applet *a = KIND_OF(const struct cli_applet, end_applet(end));

	return cli_busy(a->cli);
}

static const struct end_ops applet_ops = {
	.name = "cli",
	.recv = applet_recv,
	.send = applet_send,
	.finish = applet_finish,
	.close = applet_close,
	.timeout = applet_timeout,
	.busy = applet_busy,
};

int cli_applet_open(struct end *end, const struct listener *l)
{
	struct cli_applet *a = pool_take(&applet_pool);

	if (!a)
		return -1;
	a->cli = cli_new(cli_socket_of(l->bind)->level, cli_socket_of(l->bind)->severity_output);
	if (!a->cli) {
		pool_give(&applet_pool, &a);
		return -1;
	}
	KIND_IS(struct cli_applet, a);
	a->flags = CONN_WRITABLE;
	a->end = end;
	task_init(&a->task, applet_task);
	a->listener = l;
	cli_on_wake(a->cli, applet_wake, a);
	cli_on_socket(a->cli, applet_socket);
	cli_on_view(a->cli, applet_view);
	end_set_applet(end, &applet_ops, a, &a->flags, NULL);
	return 0;
}

const struct profile_name applet_profile = PROFILE_NAME(applet_task);
