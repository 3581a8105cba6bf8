/* SPDX-License-Identifier: BSD-2-Clause */
/* send-proxy, send-proxy-v2: tells the server who the client is, in the first segment. Called when
 * a connection to a server has been made. In mode tcp the header is put before the client's bytes;
 * where something of our own follows at once, a request's head or a ClientHello, it is sent with
 * MSG_MORE, and leaves with that. */
#include "stream/proxyheader.h"

#include "base/arena.h"
#include "base/clock.h"
#include "expr/logformat.h"
#include "expr/unique_id.h"
#include "expr/view.h"
#include "log/log.h"
#include "net/proxyproto.h"
#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "stream/extra.h"
#include "stream/stream.h"
#include "tls/identity.h"
#include "tls/link.h"

#include <sys/random.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static char header[PROXYPROTO_V2_MAX];

bool proxyheader_wanted(const struct stream *s)
{
	return s->server && s->server->set.options.on & (SRV_SEND_PROXY | SRV_SEND_PROXY_V2);
}

/* ---- vectors ----------------------------------------------------------------------------- */

static void add_known(struct proxyproto_out *out, uint8_t type, struct span value)
{
	if (value.len)
		proxyproto_add(out, type, value);
}

/* The name that the client asked for by TLS, else the one that the proxy before us has told. */
static void add_authority(struct proxyproto_out *out, const struct origin *o,
			  const struct tls_identity *tls)
{
	struct span vectors = origin_vectors(o), value, last = { NULL, 0 };

	while (proxyproto_find(&vectors, PROXYPROTO_AUTHORITY, &value))
		last = value;
	add_known(out, PROXYPROTO_AUTHORITY, tls && tls->sni.len ? tls->sni : last);
}

static void add_ssl(struct proxyproto_out *out, struct link client, unsigned what,
		    const struct tls_identity *tls)
{
	static const struct span nothing;
	struct proxyproto_ssl ssl = { .used = tls != NULL };

	if (tls) {
		ssl.cert_conn = tls->cert_conn;
		ssl.cert_sess = tls->cert_sess;
		ssl.verified = tls->verified;
		ssl.version = tls_link_text(client, TLS_BYTES_VERSION);
		ssl.cn = what & PROXY_V2_CERT_CN ? tls->cn : nothing;
		ssl.key_alg = what & PROXY_V2_CERT_KEY ? tls->key_alg : nothing;
		ssl.sig_alg = what & PROXY_V2_CERT_SIG ? tls->sig_alg : nothing;
		if (what & PROXY_V2_SSL_CIPHER)
			ssl.cipher = tls_link_text(client, TLS_BYTES_CIPHER);
	}
	proxyproto_add_ssl(out, &ssl);
}

/* What the log shows later is the same one: outside of exchanges it is kept here. */
static void keep_unique_id(struct stream *s, struct span id)
{
	struct stream_extra *extra = extra_get(s);

	if (s->exchange || !extra || extra->unique_id.ptr)
		return;
	if (!extra->arena)
		extra->arena = arena_new_limited(512);
	if (extra->arena)
		extra->unique_id = arena_keep(extra->arena, id);
}

static void add_unique_id(struct proxyproto_out *out, struct stream *s)
{
	struct view_log log;
	struct view view;
	struct span id;

	stream_view(s, &view, &log);
	id = unique_id_of(&view);
	if (!id.len)
		return;
	if (id.len > PROXYPROTO_UNIQUE_ID_MAX)
		id.len = PROXYPROTO_UNIQUE_ID_MAX;
	keep_unique_id(s, id);
	proxyproto_add(out, PROXYPROTO_UNIQUE_ID, id);
}

/* set-proxy-v2-tlv-fmt. */
static void add_format(struct proxyproto_out *out, struct stream *s, const struct server_vector *v)
{
	static char memory[PROXYPROTO_V2_MAX];
	struct view_log log;
	struct view view;
	struct text t;

	stream_view(s, &view, logformat_needs_log(v->format) ? &log : NULL);
	text_init(&t, memory, sizeof(memory));
	logformat_write(v->format, &view, &t);
	out->cut |= t.cut;
	proxyproto_add(out, v->type, (struct span){ t.ptr, t.len });
}

/* ---- the header -------------------------------------------------------------------------- */

static size_t write_v2(struct stream *s, const struct addr *dst)
{
	const struct server_settings *set = &s->server->set;
	struct link client = end_link(&s->relay.client);
	bool is_tls = tls_link_is(client);
	struct proxyproto_out out;
	struct tls_identity identity, *tls = NULL;
	unsigned i;

	if (is_tls && set->proxy_v2 & (PROXY_V2_OF_SSL | PROXY_V2_AUTHORITY)) {
		tls_link_identity(client, &identity);
		tls = &identity;
	}
	proxyproto_begin(&out, header, sizeof(header), stream_src(s), dst,
			 set->proxy_v2 & PROXY_V2_CRC32C);
	if (is_tls)
		add_known(&out, PROXYPROTO_ALPN, tls_link_text(client, TLS_BYTES_ALPN));
	if (set->proxy_v2 & PROXY_V2_AUTHORITY)
		add_authority(&out, s->origin, tls);
	if (set->proxy_v2 & PROXY_V2_UNIQUE_ID)
		add_unique_id(&out, s);
	if (set->proxy_v2 & PROXY_V2_OF_SSL)
		add_ssl(&out, client, set->proxy_v2, tls);
	for (i = 0; i < set->vector_count; i++)
		add_format(&out, s, &set->vectors[i]);
	if (origin_netns(s->origin))
		add_known(&out, PROXYPROTO_NETNS, span_of(origin_netns(s->origin)));
	return proxyproto_end(&out);
}

static size_t write_header(struct stream *s)
{
	struct addr dst;

	if (!stream_dst(s, &dst))
		dst = (struct addr){ .family = AF_UNSPEC };
	if (s->server->set.options.on & SRV_SEND_PROXY_V2)
		return write_v2(s, &dst);
	return proxyproto_v1(header, stream_src(s), &dst);
}

/* Without what it was to tell the server is not asked: that might be what it decides by. */
static size_t proxyheader_write(struct stream *s)
{
	size_t len = write_header(s);

	if (!len)
		log_printf(s->backend->set.log, LOG_L_ERR, "PROXY header for server %s/%s is "
			   "longer than %d bytes: not connected.", s->backend->name, s->server->id,
			   PROXYPROTO_V2_MAX);
	return len;
}

bool proxyheader_preload(struct stream *s)
{
	size_t len = proxyheader_write(s);

	return len && pump_preload(&s->relay.request, header, len);
}

bool proxyheader_send(struct stream *s)
{
	size_t len = proxyheader_write(s), sent;

	return len &&
	       conn_raw_send(end_conn(&s->relay.server), header, len, true, &sent) == IO_OK &&
	       sent == len;
}

/* What clients can make it say must not be made to look like what others say. */
static uint64_t mark_seed(void)
{
	static uint64_t seed;

	if (!seed && getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = clock_read_us();
	return seed;
}

uint64_t proxyheader_mark(struct stream *s)
{
	size_t len;

	if (!proxyheader_wanted(s))
		return 0;
	len = write_header(s);
	return XXH3_64bits_withSeed(header, len, mark_seed()) | 1;
}
