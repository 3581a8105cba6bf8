/* SPDX-License-Identifier: BSD-2-Clause */
/* send-proxy, send-proxy-v2: tells the server who the client is, in the first segment. */
#include "stream/proxyheader.h"

#include "net/proxyproto.h"
#include "proxy/server.h"
#include "stream/stream.h"

size_t proxyheader_write(struct stream *s, char *memory)
{
	const struct addr *src = stream_src(s);
	struct addr dst;

	if (!stream_dst(s, &dst))
		dst = (struct addr){ .family = AF_UNSPEC };
	if (s->server->set.options.on & SRV_SEND_PROXY_V2)
		return proxyproto_v2(memory, src, &dst, false);
	return proxyproto_v1(memory, src, &dst);
}

bool proxyheader_send(struct stream *s)
{
	char header[PROXYPROTO_V1_MAX];

	_Static_assert((int)PROXYPROTO_V2_MAX <= (int)PROXYPROTO_V1_MAX, "room for either");
	return pump_preload(&s->relay.request, header, proxyheader_write(s, header));
}
