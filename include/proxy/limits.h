/* SPDX-License-Identifier: BSD-2-Clause */
/* File descriptors and maxconn: each needs the other. */
#ifndef PROXY_LIMITS_H
#define PROXY_LIMITS_H

struct err;
struct proxies;

/* Sets global_state->maxconn, as configured or as many as the descriptors allow, and raises the
 * limit of descriptors to what that needs. Where the system does not allow as many there are fewer
 * pipes. 0, or -1 and err: it has no room for the connections alone (strict-limits). */
int limits_apply(const struct proxies *all, struct err *err);

struct limits {
	int maxpipes;      /* pipes that may be open (maxpipes, 0 without splicing); -1: a quarter of
			    * maxconn. To be set before the start */
	unsigned maxsock;  /* descriptors that may be needed */
	unsigned ulimit_n; /* that the system allows */
	unsigned ulimit_told; /* in "show info": those of the word ulimit-n, if it allows them */
	unsigned pipes;    /* that may be open */
	unsigned hard_maxconn; /* maxconn at start: the most that "set maxconn global" takes */
};
extern struct limits limits;

#endif
