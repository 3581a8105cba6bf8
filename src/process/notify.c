/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol of sd_notify(3): lines NAME=value in one datagram to the Unix socket (abstract when
 * it begins with '@') that NOTIFY_SOCKET names. Called by the process that the manager started,
 * outside the data path. Keeps no descriptor, so nothing leaks into children or images that follow.
 */
#include "process/notify.h"

#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NOTIFY_TEXT = 1024, NOTIFY_WAIT_S = 1 };

static struct sockaddr_un notify_to;
static socklen_t notify_to_len; /* 0: nobody listens */
static unsigned notify_period_ms;
static uint64_t notify_alive_at_ms; /* when it is due again */

static void notify_read_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	int64_t n;

	notify_period_ms = 0;
	notify_alive_at_ms = 0;
	if (pid && (!str_to_int(pid, 1, INT32_MAX, &n) || n != getpid()))
		return;
	if (usec && str_to_int(usec, 1, (int64_t)UINT32_MAX * 1000, &n))
		notify_period_ms = n < 2000 ? 1 : (unsigned)(n / 2000);
}

bool notify_start(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;

	notify_stop();
	if ((len && *path != '/' && *path != '@') || len < 2 || len >= sizeof(notify_to.sun_path))
		return false;
	notify_to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(notify_to.sun_path, path, len);
	notify_to_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (*path == '@')
		notify_to.sun_path[0] = 0;
	else
		notify_to_len++;
	notify_read_watchdog();
	return true;
}

void notify_stop(void)
{
	notify_to_len = 0;
	notify_period_ms = 0;
}

static int notify_send(const struct text *t, bool may_wait)
{
	const struct timeval limit = { .tv_sec = NOTIFY_WAIT_S };
	ssize_t sent;
	int fd, error;

	if (!notify_to_len)
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	do
		sent = sendto(fd, t->ptr, t->len, MSG_NOSIGNAL | (may_wait ? 0 : MSG_DONTWAIT),
			      (const struct sockaddr *)&notify_to, notify_to_len);
	while (sent < 0 && errno == EINTR);
	error = errno;
	close(fd);
	errno = error;
	return sent < 0 ? -1 : 0;
}

/* A value ends with its line. */
static void put_status(struct text *t, const char *status)
{
	if (!status)
		return;
	text_str(t, "STATUS=");
	for (; *status; status++)
		text_char(t, *status == '\n' ? ' ' : *status);
	text_char(t, '\n');
}

static int notify_say(const char *lines, const char *status)
{
	char memory[NOTIFY_TEXT];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_str(&t, lines);
	put_status(&t, status);
	return notify_send(&t, true);
}

int notify_ready(const char *status)
{
	return notify_say("READY=1\n", status);
}

/* The time lets the manager tell this reload from an earlier one. */
int notify_reloading(const char *status)
{
	char lines[64];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\n",
		 (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
	return notify_say(lines, status);
}

int notify_stopping(const char *status)
{
	return notify_say("STOPPING=1\n", status);
}

unsigned notify_alive_ms(void)
{
	return notify_period_ms;
}

void notify_alive(uint64_t now_ms)
{
	char memory[] = "WATCHDOG=1\n";
	struct text t = { .ptr = memory, .len = sizeof(memory) - 1 };

	if (!notify_period_ms || now_ms < notify_alive_at_ms)
		return;
	if (notify_send(&t, false) == 0)
		notify_alive_at_ms = now_ms + notify_period_ms;
}
