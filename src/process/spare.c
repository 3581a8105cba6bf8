/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parent and spare speak over one socket, question by question: the parent asks and waits, at most
 * ANSWER_S, so that what it asks for is done in order and needs no state in between. A spare that
 * does not answer is killed: then nobody is replaced any more, and the log says so. The process
 * that the spare forks is forked twice, so that it becomes a child of the parent (a subreaper),
 * which hears of its end like of any other's. Called by parent.c, forking.c, handover.c.
 *
 * Invariant: a spare never outlives the parent, nor the moment when new workers serve.
 */
#include "process/spare.h"

#include "base/err.h"
#include "base/str.h"
#include "event/change.h"
#include "event/loop.h"
#include "log/log.h"
#include "net/listener.h"
#include "process/changes.h"
#include "process/workers.h"
#include "proxy/facts.h"
#include "session/listening.h"
#include "share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_S = 10, FDS = 2 };

/* What programs of different age say to each other: add at the end. */
enum ask { ASK_FORK = 1, /* struct fork_wish; descriptors of channel and words. Answer: pid */
	   ASK_CHANGE,   /* a frame of changes.c. Answer: 0 and what is said, or -1 and why not */
	   ASK_PAUSE, ASK_RESUME };

struct question {
	uint32_t ask, len;
};

struct answer {
	int32_t rc;
	uint32_t len;
};

struct fork_wish {
	uint32_t number, generation;
	int32_t row;
};

static pid_t spare; /* 0: none */
static int line = -1; /* to the other side */

/* ---- the socket -------------------------------------------------------------------------- */

static bool send_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	ssize_t n;

	while (len) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool recv_all(int fd, void *bytes, size_t len)
{
	char *p = bytes;
	ssize_t n;

	while (len) {
		n = recv(fd, p, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(FDS * sizeof(int))];
};

/* The head of a question, with descriptors or without (fds NULL). */
static bool send_head(int fd, const struct question *q, const int *fds)
{
	struct iovec iov = { (void *)(uintptr_t)q, sizeof(*q) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control = { .room = "" };

	if (fds) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(FDS * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, FDS * sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.room);
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(*q);
}

/* fds: -1 where none came, as with a full table of descriptors. */
static bool recv_head(int fd, struct question *q, int fds[FDS])
{
	struct iovec iov = { q, sizeof(*q) };
	union control control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control.room) };
	struct cmsghdr *cmsg;
	ssize_t n;

	fds[0] = fds[1] = -1;
	n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	cmsg = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS && cmsg->cmsg_len <= CMSG_LEN(FDS * sizeof(int)))
		memcpy(fds, CMSG_DATA(cmsg), cmsg->cmsg_len - CMSG_LEN(0));
	return n == (ssize_t)sizeof(*q);
}

/* ---- the spare --------------------------------------------------------------------------- */

static struct worker *fresh; /* it has become this */

static bool answer(int32_t rc, const char *text, size_t len)
{
	struct answer a = { rc, (uint32_t)len };

	return send_all(line, &a, sizeof(a)) && send_all(line, text, len);
}

/* Runs in the fresh worker. */
static void become_worker(const struct fork_wish *wish, const int fds[FDS])
{
	struct worker *w = calloc(1, sizeof(*w));

	close(line);
	line = -1;
	if (!w)
		_exit(1);
	*w = (struct worker){ .number = wish->number, .row = wish->row, .words_fd = -1,
			      .channel_fd = -1, .generation = wish->generation };
	child_take(w, fds[0], fds[1]);
	fresh = w;
}

static void fork_worker(const struct fork_wish *wish, const int fds[FDS])
{
	pid_t between = fork(), pid;

	if (between == 0) {
		pid = fork();
		if (pid == 0) {
			become_worker(wish, fds);
			return;
		}
		answer(pid < 0 ? -errno : pid, "", 0);
		_exit(0);
	}
	if (between < 0)
		answer(-errno, "", 0);
	else
		waitpid(between, NULL, 0);
}

static void change(const char *frame, size_t len)
{
	char memory[CHANGE_SAID];
	static bool logs;
	struct err err = { "" };
	struct text said;
	int rc;

	if (!logs && log_parent_start(&err) == 0)
		logs = true; /* what it says of changes nobody else does */
	text_init(&said, memory, sizeof(memory));
	rc = changes_make(frame, len, &said, &err);
	facts_publish_states(); /* the next image reads them */
	if (rc < 0)
		answer(-1, err.text, strlen(err.text));
	else
		answer(0, said.ptr, said.len);
}

static void asked(const struct question *q, const char *bytes, const int fds[FDS])
{
	struct fork_wish wish;

	if (q->ask == ASK_CHANGE) {
		change(bytes, q->len);
	} else if (q->ask == ASK_FORK && q->len == sizeof(wish) && fds[1] >= 0) {
		memcpy(&wish, bytes, sizeof(wish));
		fork_worker(&wish, fds);
	} else if (q->ask == ASK_PAUSE || q->ask == ASK_RESUME) {
		q->ask == ASK_PAUSE ? listening_pause() : listening_resume();
		answer(0, "", 0);
	} else {
		answer(-1, "", 0);
	}
}

/* The parent has gone, or says what makes no sense: nobody needs this process. */
static void listen_once(struct source *src, uint32_t events)
{
	struct question q;
	int fds[FDS];
	char *bytes;

	(void)events;
	if (!recv_head(src->fd, &q, fds) || q.len > CHANGES_FRAME_MOST)
		_exit(0);
	bytes = malloc(q.len + 1u);
	if (!bytes || !recv_all(src->fd, bytes, q.len))
		_exit(0);
	bytes[q.len] = 0;
	asked(&q, bytes, fds);
	free(bytes);
	if (fresh)
		return;
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

static struct source source = { .fd = -1, .ready = listen_once };

/* A timer of the parent's (keys of tickets) may want to change something: that is the parent's
 * business, and no worker would hear of it from here. */
static unsigned submit_nothing(const struct change_kind *kind, const void *bytes, size_t len,
			       change_done *done, void *arg)
{
	(void)kind;
	(void)bytes;
	(void)len;
	if (done)
		done(arg, "this process only waits", "", 0);
	return 0;
}

/* Row 0 is the parent's. */
struct worker *spare_serve(void)
{
	segment_own_set(NULL);
	child_forget(NULL);
	listeners_held = true; /* still: it accepts nothing */
	change_route = submit_nothing;
	source.fd = line;
	if (loop_init(10) < 0 || loop_add(&source, EPOLLIN) < 0)
		_exit(1);
	while (!fresh)
		loop_turn(-1);
	loop_free();
	log_forked();
	listeners_held = false;
	return fresh;
}

bool spare_fork(void)
{
	const struct timeval patience = { .tv_sec = ANSWER_S };
	int ends[2];

	if (spare > 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	fflush(NULL);
	spare = fork();
	if (spare == 0) {
		close(ends[0]);
		line = ends[1];
		return true;
	}
	close(ends[1]);
	line = ends[0];
	setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(line, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (spare < 0) {
		close(line);
		line = -1;
		spare = 0;
	}
	return false;
}

/* ---- the parent -------------------------------------------------------------------------- */

bool spare_here(void)
{
	return spare > 0;
}

bool spare_is(pid_t pid)
{
	return spare > 0 && pid == spare;
}

bool spare_serves(void)
{
	return changes_delegate != NULL;
}

void spare_end(void)
{
	changes_delegate = NULL;
	if (spare <= 0)
		return;
	kill(spare, SIGKILL);
	waitpid(spare, NULL, 0);
	close(line);
	line = -1;
	spare = 0;
}

static void spare_lost(void)
{
	if (spare <= 0)
		return;
	spare_end();
	log_process(LOG_L_ALERT, "The process that would fork replacements of workers is gone: none is "
		    "replaced until a reload succeeds.");
}

bool spare_ended(pid_t pid)
{
	if (pid != spare || spare <= 0)
		return false;
	close(line);
	line = -1;
	spare = 0;
	changes_delegate = NULL;
	if (parent_state == PARENT_WAITS)
		log_process(LOG_L_ALERT, "The process that would fork replacements of workers has ended: "
			    "none is replaced until a reload succeeds.");
	return true;
}

/* False: it is gone now. What it says beyond size is lost. */
static bool ask_spare(enum ask what, const void *bytes, size_t len, const int *fds,
		      struct answer *a, char *said, size_t size)
{
	const struct question q = { what, (uint32_t)len };

	if (spare > 0 && send_head(line, &q, fds) && send_all(line, bytes, len) &&
	    recv_all(line, a, sizeof(*a)) && a->len <= size && recv_all(line, said, a->len))
		return true;
	spare_lost();
	errno = ESRCH;
	return false;
}

pid_t spare_fork_worker(const struct worker *w, int channel_fd, int words_fd)
{
	const struct fork_wish wish = { w->number, w->generation, w->row };
	const int fds[FDS] = { channel_fd, words_fd };
	struct answer a;

	if (!ask_spare(ASK_FORK, &wish, sizeof(wish), fds, &a, NULL, 0))
		return -1;
	if (a.rc > 0)
		return a.rc;
	errno = -a.rc;
	return -1;
}

static int change_there(const char *frame, size_t len, struct text *said, struct err *err)
{
	char memory[CHANGE_SAID + 1];
	struct answer a;

	if (len > CHANGES_FRAME_MOST ||
	    !ask_spare(ASK_CHANGE, frame, len, NULL, &a, memory, CHANGE_SAID))
		return err_set(err, "the configuration of the workers is not at hand");
	memory[a.len] = 0;
	if (a.rc < 0)
		return err_set(err, "%s", memory);
	text_add(said, memory, a.len);
	return 0;
}

void spare_begin(void)
{
	if (spare <= 0)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	changes_delegate = change_there;
}

void spare_pause(bool paused)
{
	struct answer a;

	if (spare > 0)
		ask_spare(paused ? ASK_PAUSE : ASK_RESUME, "", 0, NULL, &a, NULL, 0);
}

/* ---- through execve ---------------------------------------------------------------------- */

void spare_keep(bool open)
{
	if (line >= 0)
		fcntl(line, F_SETFD, open ? 0 : FD_CLOEXEC);
}

void spare_give(FILE *out)
{
	if (spare <= 0)
		return;
	spare_keep(true);
	fprintf(out, "spare %d %d\n", line, (int)spare);
}

void spare_take(int fd, pid_t pid)
{
	line = fd;
	spare = pid;
}
