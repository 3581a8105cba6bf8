/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP with OCSP responders (RFC 6960 appendix A): one request, one short answer. Pure. */
#ifndef CHECK_OCSP_HTTP_H
#define CHECK_OCSP_HTTP_H

#include "base/str.h"

#include <stdbool.h>

enum ocsp_http { OCSP_HTTP_MORE, OCSP_HTTP_DONE, OCSP_HTTP_BAD };

/* Where a responder is; spans point into the URI. */
struct ocsp_uri {
	struct span host; /* without the brackets of an IPv6 address */
	struct span port; /* "80" when there is none */
	struct span path; /* "/" when there is none */
};
/* false: it is not http://, or nonsense. */
bool ocsp_uri_parse(struct span uri, struct ocsp_uri *parsed);

/* What has come so far; ended: no more will. DONE: the body of a "200". */
enum ocsp_http ocsp_http_parse(struct span bytes, bool ended, struct span *body);

#endif
