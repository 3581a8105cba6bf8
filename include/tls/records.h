/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for records on their way between OpenSSL and a socket: one buffer for each direction
 * serves the whole process; what cannot move on stays in it, and it is the connection's then. */
#ifndef TLS_RECORDS_H
#define TLS_RECORDS_H

#include "base/buf.h"

/* A full record and what it is wrapped in: in pieces of 512 bytes, if the peer wants them so (RFC
 * 6066 4); room for four of them and a short one. */
enum { RECORD_MOST = 16384 + 1024, RECORDS_SIZE = 5 * RECORD_MOST };

enum records_use { RECORDS_IN, RECORDS_OUT };

/* The process's buffer, empty, for the time of one call. NULL: no memory. */
struct buf *records_scratch(enum records_use use);
/* At the end of the call: an empty buffer goes back and *buf is cleared; one that holds bytes is
 * the connection's from now on, and the process takes a fresh one when it needs it. */
void records_settle(enum records_use use, struct buf **buf);
/* Gives a connection's own buffer back, with what it holds. NULL is allowed. */
void records_give(struct buf **buf);

#endif
