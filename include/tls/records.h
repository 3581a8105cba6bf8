/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for records on their way between OpenSSL and a socket: one buffer for each direction
 * serves the whole process; what cannot move on stays in it, and it is the connection's then. */
#ifndef TLS_RECORDS_H
#define TLS_RECORDS_H

#include "base/buf.h"

/* Four full records, a short one, and what they are wrapped in. */
enum { RECORDS_SIZE = 5 * 16384 + 5 * 320, RECORD_MOST = 16384 + 320 };

enum records_use { RECORDS_IN, RECORDS_OUT };

/* The process's buffer, empty, for the time of one call. NULL: no memory. */
struct buf *records_scratch(enum records_use use);
/* At the end of the call: an empty buffer goes back and *buf is cleared; one that holds bytes is the
 * connection's from now on, and the process takes a fresh one when it needs it. */
void records_settle(enum records_use use, struct buf **buf);
/* Gives a connection's own buffer back, with what it holds. NULL is allowed. */
void records_give(struct buf **buf);

#endif
