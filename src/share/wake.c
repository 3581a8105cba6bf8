/* SPDX-License-Identifier: BSD-2-Clause */
/* The eventfd of this process's row: several that wait for something share it. */
#include "share/wake.h"

#include "event/loop.h"
#include "event/profile.h"
#include "share/segment.h"

#include <sys/epoll.h>
#include <unistd.h>

static struct list watching = LIST_INIT(watching);

static void wake_ready(struct source *src, uint32_t events)
{
	struct wake *wake, *next;
	uint64_t count;

	(void)events;
	if (read(src->fd, &count, sizeof(count)) < 0)
		return;
	list_for_each_safe(wake, next, &watching, node)
		wake->run(wake);
}

static struct source source = { .fd = -1, .ready = wake_ready };

bool wake_watch(struct wake *wake, void (*run)(struct wake *wake))
{
	int fd = segment ? segment_wake_fd(segment, segment_own_row) : -1;

	if (fd < 0)
		return true;
	source.fd = fd;
	if (!source.registered && loop_add(&source, EPOLLIN) < 0)
		return false;
	wake_forget(wake);
	wake->run = run;
	list_append(&watching, &wake->node);
	return true;
}

void wake_forget(struct wake *wake)
{
	if (wake->run)
		list_remove(&wake->node);
	wake->run = NULL;
}

const struct profile_name wake_profile = PROFILE_NAME(wake_ready);
