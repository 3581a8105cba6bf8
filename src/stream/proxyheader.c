/* SPDX-License-Identifier: BSD-2-Clause */
/* send-proxy: tells the server who the client is, in the first segment. */
#include "stream/proxyheader.h"

#include "net/proxyproto.h"
#include "stream/stream.h"

bool proxyheader_send(struct stream *s)
{
	const struct addr *src = stream_src(s);
	char line[PROXYPROTO_V1_MAX];
	struct addr dst;
	size_t len;

	if (!stream_dst(s, &dst))
		dst = (struct addr){ .family = AF_UNSPEC };
	len = proxyproto_v1(line, src, &dst);
	return pump_preload(&s->relay.request, line, len);
}
