/* SPDX-License-Identifier: BSD-2-Clause */
/* What a client of HTTP/2 says and hears, made of and into text as HTTP/1 has it. Pure. */
#ifndef EXPLAIN_H2_CLIENT_H
#define EXPLAIN_H2_CLIENT_H

#include "base/str.h"

struct bytes;

enum { H2_CLIENT_BODY = 65535 }; /* most bytes of a body: more would have to wait for a window */

/* The preface, SETTINGS, and the request of this text (start line, fields, body), whose Host
 * becomes :authority. What HTTP/2 forbids is said nevertheless: whoever hears it is to refuse it.
 */
void h2_client_says(struct span request, struct span scheme, struct bytes *to);
/* The answer in what the program said: "HTTP/2 200", its fields, an empty line and the body. What
 * ended the stream or the connection otherwise is a sentence. */
void h2_client_hears(struct span frames, struct bytes *to);

#endif
