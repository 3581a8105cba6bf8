/* SPDX-License-Identifier: BSD-2-Clause */
/* URLs that the program's own requests are for. */
#include "client/own_request.h"

#include "http/uri.h"

#include <string.h>

const char *own_url(struct span url, struct uri *uri, struct own_target *target)
{
	struct span host;
	unsigned port = 0;
	size_t i;

	for (i = 0; i < url.len; i++)
		if ((unsigned char)url.ptr[i] <= ' ' || url.ptr[i] == 127)
			return "it has blanks, or control characters";
	if (!uri_split(url, uri) || !uri->scheme.ptr)
		return "it is no http:// or https:// URL";
	memset(target, 0, sizeof(*target));
	target->tls = span_equal_nocase(uri->scheme, span_of("https"));
	if (!target->tls && !span_equal_nocase(uri->scheme, span_of("http")))
		return "it is neither http:// nor https://";
	if (!host_split(uri->authority, &host, &port) || !host.len)
		return "it names no host";
	if (uri->path.len && *uri->path.ptr != '/')
		return "its path does not begin with /";
	if (host.len > 2 && host.ptr[0] == '[')
		host = (struct span){ host.ptr + 1, host.len - 2 };
	target->host = host;
	target->port = port ? port : target->tls ? 443 : 80;
	return NULL;
}
