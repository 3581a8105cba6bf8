/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan of all sessions that may be interrupted: it goes through the chains of the tables, and
 * keeps numbers alone. */
#ifndef UDP_SCAN_H
#define UDP_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct udp_session;

/* Zeroed: at the beginning. */
struct udp_scan {
	unsigned section; /* how many sections were seen */
	uint32_t chain;   /* how many chains of the present one */
	bool over;
};

/* The first session of a further chain, by session->next the others; NULL: there was none in the
 * chains that were looked at. */
struct udp_session *udp_scan_next(struct udp_scan *scan);
/* All were seen. */
static inline bool udp_scan_over(const struct udp_scan *scan)
{
	return scan->over;
}

#endif
