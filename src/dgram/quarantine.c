/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who asks a server may leave before the answer. If the port went to somebody else at once, that
 * one would get the late answer. So the socket stays open for a while, and nobody reads it: what
 * comes is dropped. They wait in the order in which they came, so the first one is the next to
 * close.
 */
#include "dgram/quarantine.h"

#include "base/clock.h"
#include "event/timer.h"

#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static void expire(struct timer *timer);

static struct {
	struct { int fd; uint64_t until_ms; } sockets[DGRAM_QUARANTINES];
	unsigned first, count;
	struct timer timer;
} held = { .timer = { .fire = expire } };

static void close_first(void)
{
	close(held.sockets[held.first].fd);
	held.first = (held.first + 1) % DGRAM_QUARANTINES;
	held.count--;
}

static void expire(struct timer *timer)
{
	while (held.count && held.sockets[held.first].until_ms <= clock_now_ms)
		close_first();
	if (held.count)
		timer_set(timer, held.sockets[held.first].until_ms);
}

void dgram_quarantine(int fd)
{
	int least = 0; /* the kernel's own minimum: what comes is not to take memory */
	unsigned at;

	if (held.count == DGRAM_QUARANTINES)
		close_first();
	at = (held.first + held.count++) % DGRAM_QUARANTINES;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	held.sockets[at].fd = fd;
	held.sockets[at].until_ms = clock_now_ms + DGRAM_QUARANTINE_MS;
	if (held.count == 1)
		timer_set(&held.timer, held.sockets[at].until_ms);
}

bool dgram_quarantine_drop(void)
{
	bool some = held.count;

	while (held.count)
		close_first();
	return some;
}
