/* SPDX-License-Identifier: BSD-2-Clause */
/* Has a ClientHello brought early data before? A memory of all workers, which knows nothing of
 * TLS. */
#ifndef TLS_REPLAY_H
#define TLS_REPLAY_H

#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct replay;

enum {
	REPLAY_HASH = 16,   /* bytes */
	REPLAY_WINDOW = 15, /* seconds for which a hello is remembered: OpenSSL takes its early data
			     * for eleven at most */
};

/* An empty memory. shared: a region of all workers (share/region.h) that is handed over to the next
 * image. outlived: there are sessions that were made before it (now: seconds of the wall clock).
 * NULL and err. */
struct replay *replay_new(bool shared, bool outlived, int64_t now, struct err *err);
/* That of an earlier image. NULL: there is none that can be read. */
struct replay *replay_attach(void);
void replay_free(struct replay **r);

/* Notes the hello (a hash of what only its client could make). True: for the first time within the
 * window, beyond doubt. session: the second in which its session was made. */
MUST_USE bool replay_first(struct replay *r, const unsigned char hash[REPLAY_HASH], int64_t session,
			   int64_t now);

#endif
