/* SPDX-License-Identifier: BSD-2-Clause */
/* What streams do, on stdout, one line an event: -d. */
#ifndef STREAM_TRACE_H
#define STREAM_TRACE_H

#include <stdbool.h>

struct stream;

extern bool trace_enabled;

/* "00000001:fe.accept(0005)=000b from [127.0.0.1:4040]": numbers are the stream's, the
 * listener's descriptor and the client's. */
void trace_accept(const struct stream *s);
/* "00000001:fe.closed[000b:000c] be/s1 cD 4/4: sentence": the descriptors of both sides (ffff:
 * none), backend and server, termination code, bytes from and to the client, why. */
void trace_closed(const struct stream *s);

#endif
