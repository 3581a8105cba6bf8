/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that nobody uses any more (net/orphan.h), in the order of their age. None of them may
 * keep a descriptor from those who are served: they are few, and where the table of descriptors is
 * full (sock.c, accept.c) the oldest goes. */
#include "net/orphan.h"

#include "base/result.h"

#include <errno.h>
#include <fcntl.h>

struct orphan_hooks orphan_hooks;
static struct list orphans = LIST_INIT(orphans);
static unsigned count;

void orphan_begin(struct orphan *orphan, void (*give_up)(struct orphan *orphan))
{
	if (count >= ORPHANS_MOST)
		DROPPED(orphan_cut(), "there is one: so many are there");
	orphan->give_up = give_up;
	list_append(&orphans, &orphan->node);
	count++;
	if (orphan_hooks.hold)
		orphan_hooks.hold();
}

void orphan_spare(struct orphan *orphan)
{
	list_remove(&orphan->node);
}

void orphan_end(struct orphan *orphan)
{
	list_remove(&orphan->node);
	count--;
	if (orphan_hooks.release)
		orphan_hooks.release();
}

bool orphan_cut(void)
{
	struct orphan *oldest;

	if (list_empty(&orphans))
		return false;
	oldest = list_first(&orphans, struct orphan, node);
	oldest->give_up(oldest);
	return true;
}

int orphan_dup(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 && errno == EMFILE && orphan_cut() ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : copy;
}
