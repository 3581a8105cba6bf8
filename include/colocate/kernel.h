/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of colocate/ must know of the running kernel: where members of its structures
 * are, and where functions that wait for sockets begin. */
#ifndef COLOCATE_KERNEL_H
#define COLOCATE_KERNEL_H

#include "base/err.h"

#include <stdint.h>

struct colocate_kernel {
	/* struct sock and what begins with it */
	int state, cookie, rmem, rcvlowat, ulp, write_seq, rcv_nxt, copied_seq;
	int owned;      /* of a sock: a system call works on it */
	int socket, file, file_flags, file_owner; /* of a sock its socket, whose file, and its */
	int wq;         /* of a sock: a pointer to its queue of those who wait */
	int wait_first; /* of the queue: the list's head */
	int entry_list, entry_func;   /* of an entry of the list */
	int epoll_entry, epoll_item;  /* of epoll's: the entry, a pointer to the item */
	int item_events;              /* of the item */
	uint64_t epoll, poll, blocked; /* functions that entries call */
};

/* 0, or -1 with a sentence that says what cannot be learnt. Needs CAP_SYSLOG for addresses. */
int colocate_kernel_learn(struct colocate_kernel *kernel, struct err *err);

#endif
