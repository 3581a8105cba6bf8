/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of pipes: last in, first out, so that few of them stay hot. A pipe in which bytes
 * were left behind by an error enters the pool only after the kernel has said that it is empty
 * again, else it is closed: another user's bytes must not come out of it. Called by the pump
 * alone. */
#include "relay/pipe.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/pool.h"
#include "net/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PIPE_DEFAULT_SIZE = 1 << 20, /* measured: two thirds more than with 64 kB */
       PIPE_MIN_SIZE = 65536,       /* below, copying is better */
       PIPES_AT_START = 8,
       RETRY_MS = 100 }; /* a refusal costs ten calls; the next piece is not to pay again */

struct pipe_stats pipe_stats;

static struct pool pipe_pool = POOL_INIT("pipe", sizeof(struct pipe));
static struct pipe *free_pipes;
static size_t wanted_size;
static uint64_t refused_until_ms;
static int null_fd = -1;

/* Asks for the wanted size, or what the user's limits allow of it. */
static size_t pipe_enlarge(int fd)
{
	size_t size;
	int got;

	for (size = wanted_size; size > PIPE_MIN_SIZE; size /= 2)
		if (fcntl(fd, F_SETPIPE_SZ, (int)size) >= 0)
			break;
	if (wanted_size < PIPE_MIN_SIZE)
		fcntl(fd, F_SETPIPE_SZ, (int)wanted_size);
	got = fcntl(fd, F_GETPIPE_SZ);
	return got < 0 ? 0 : (size_t)got;
}

static bool pipe_too_small(size_t size)
{
	return size < PIPE_MIN_SIZE && size < wanted_size;
}

static struct pipe *pipe_refused(void)
{
	pipe_stats.failed++;
	refused_until_ms = clock_now_ms + RETRY_MS;
	return NULL;
}

static struct pipe *pipe_open(void)
{
	struct pipe *pipe;
	int fds[2];

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0)
		return pipe_refused();
	pipe = pool_take(&pipe_pool);
	if (pipe) {
		pipe->read_fd = fds[0];
		pipe->write_fd = fds[1];
		pipe->size = pipe_enlarge(fds[0]);
		pipe_stats.size = pipe->size;
		if (!pipe_too_small(pipe->size))
			return pipe;
		pool_give(&pipe_pool, &pipe);
	}
	close(fds[0]);
	close(fds[1]);
	return pipe_refused();
}

static void pipe_close(struct pipe **pipe)
{
	close((*pipe)->read_fd);
	close((*pipe)->write_fd);
	pool_give(&pipe_pool, pipe);
	refused_until_ms = 0; /* its pages are free */
}

void pipes_init(unsigned max, size_t size)
{
	struct pipe *pipe;

	pipe_stats.max = max;
	if (null_fd < 0)
		null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	wanted_size = size ? size : PIPE_DEFAULT_SIZE;
	while (pipe_stats.free < max && pipe_stats.free < PIPES_AT_START) {
		pipe = pipe_open();
		if (!pipe)
			break;
		pipe->next = free_pipes;
		free_pipes = pipe;
		pipe_stats.free++;
	}
}

void pipes_free(void)
{
	struct pipe *pipe;

	while ((pipe = free_pipes)) {
		free_pipes = pipe->next;
		pipe_close(&pipe);
	}
	pipe_stats.free = 0;
	if (null_fd >= 0)
		close(null_fd);
	null_fd = -1;
}

struct pipe *pipe_take(void)
{
	struct pipe *pipe = free_pipes;

	if (likely(pipe != NULL)) {
		free_pipes = pipe->next;
		pipe_stats.free--;
	} else {
		if (pipe_stats.used < pipe_stats.max && clock_now_ms >= refused_until_ms)
			pipe = pipe_open();
		if (!pipe) {
			pipe_stats.none++;
			return NULL;
		}
	}
	pipe_stats.taken++;
	if (++pipe_stats.used > pipe_stats.high_water)
		pipe_stats.high_water = pipe_stats.used;
	return pipe;
}

static enum io pipe_result(ssize_t n, size_t *moved)
{
	if (likely(n > 0)) {
		*moved = (size_t)n;
		return IO_OK;
	}
	if (n == 0)
		return IO_EOF;
	return errno == EAGAIN || errno == EWOULDBLOCK ? IO_AGAIN : IO_ERR;
}

static ssize_t pipe_splice(int from, int to, size_t len, unsigned flags)
{
	ssize_t n;

	do
		n = splice(from, NULL, to, NULL, len, SPLICE_F_NONBLOCK | flags);
	while (unlikely(n < 0 && errno == EINTR));
	return n;
}

/* What was left behind goes nowhere. True: a pipe that still had a writer said EAGAIN to its
 * reader, so nothing is in it. Emptied rather than closed, because a process without privileges
 * may not be given another one (its user's budget of pages may be spent). */
static bool pipe_empty(struct pipe *pipe)
{
	ssize_t n;

	do
		n = pipe_splice(pipe->read_fd, null_fd, pipe->size, 0);
	while (n > 0);
	if (n == 0 || errno != EAGAIN)
		return false;
	pipe->held = 0;
	return true;
}

void pipe_give(struct pipe **pipe)
{
	if (!*pipe)
		return;
	pipe_stats.used--;
	if (unlikely((*pipe)->held)) {
		pipe_stats.dirty++;
		if (!pipe_empty(*pipe)) {
			pipe_close(pipe);
			return;
		}
	}
	(*pipe)->next = free_pipes;
	free_pipes = *pipe;
	pipe_stats.free++;
	*pipe = NULL;
}

enum io pipe_pull(struct pipe *pipe, const struct conn *conn, size_t max, size_t *got)
{
	enum io r = pipe_result(pipe_splice(conn->src.fd, pipe->write_fd, max, SPLICE_F_MOVE), got);

	if (r == IO_OK)
		pipe->held += *got;
	return r;
}

enum io pipe_push(struct pipe *pipe, const struct conn *conn, bool more, size_t *sent)
{
	enum io r = pipe_result(pipe_splice(pipe->read_fd, conn->src.fd, pipe->held,
					    SPLICE_F_MOVE | (more ? SPLICE_F_MORE : 0)), sent);

	if (r == IO_OK)
		pipe->held -= *sent;
	return r;
}

enum io pipe_read(struct pipe *pipe, void *buf, size_t size, size_t *got)
{
	enum io r = pipe_result(read(pipe->read_fd, buf, size), got);

	if (r == IO_OK)
		pipe->held -= *got;
	return r;
}
