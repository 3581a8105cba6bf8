/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of the client's ClientHello, as it was captured (tune.ssl.capture-buffer-size), and of
 * the secrets of TLS 1.3 (tune.ssl.keylog). Manual 7.3.4. Without those words they find nothing. */
#include "expr/tables.h"
#include "expr/tls.h"
#include "tls/link.h"

#include <openssl/ssl.h>

static const struct tls_capture *hello_capture(const struct fetch_call *call)
{
	return tls_link_capture(tls_fetch_link(call, TLS_CLIENT));
}

/* -- lists ------------------------------------------------------------------------------------- */

enum { LIST_CIPHERS, LIST_EXTENSIONS, LIST_GROUPS, LIST_FORMATS };

static struct span hello_list(const struct tls_capture *c, int which)
{
	switch (which) {
	case LIST_CIPHERS:
		return c->ciphers;
	case LIST_EXTENSIONS:
		return c->extensions;
	case LIST_GROUPS:
		return c->groups;
	default:
		return c->formats;
	}
}

/* Values that clients invent so that servers do not stumble over new ones: RFC 8701. */
static bool is_grease(const char *p)
{
	return p[0] == p[1] && (p[0] & 0x0f) == 0x0a;
}

static struct span without_grease(struct span list, char *out, size_t size)
{
	struct text t;
	size_t i;

	text_init(&t, out, size);
	for (i = 0; i + 2 <= list.len; i += 2) {
		if (!is_grease(list.ptr + i))
			text_add(&t, list.ptr + i, 2);
	}
	return (struct span){ t.ptr, t.len };
}

/* The list that the row is about, filtered as its argument says; empty: there is none. */
static struct span hello_wanted(const struct fetch_call *call)
{
	const struct tls_capture *c = hello_capture(call);
	struct span list = c ? hello_list(c, call->row->data) : (struct span){ "", 0 };

	if (call->args[0].type == ARG_INT && call->args[0].num)
		return without_grease(list, expr_scratch(), expr_scratch_size);
	return list;
}

static enum expr_result fetch_list_bin(struct fetch_call *call, struct sample *smp)
{
	smp->str = hello_wanted(call);
	smp->flags |= SMP_CONST;
	return smp->str.len ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result text_found(const struct text *t, struct sample *smp)
{
	smp->str = (struct span){ t->ptr, t->len };
	return t->len ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_list_hex(struct fetch_call *call, struct sample *smp)
{
	struct span list = hello_wanted(call);
	struct text t;
	size_t i;

	text_init(&t, expr_scratch(), expr_scratch_size);
	for (i = 0; i < list.len; i++)
		text_printf(&t, "%02X", (uint8_t)list.ptr[i]);
	return text_found(&t, smp);
}

static void put_cipher(struct text *t, const SSL *ssl, const unsigned char *number)
{
	const SSL_CIPHER *cipher = ssl ? SSL_CIPHER_find((SSL *)ssl, number) : NULL;

	if (cipher)
		text_str(t, SSL_CIPHER_get_name(cipher));
	else if (number[0] == 0 && number[1] == 0xff)
		text_str(t, "TLS_EMPTY_RENEGOTIATION_INFO_SCSV");
	else
		text_printf(t, "UNKNOWN(%02x%02x)", number[0], number[1]);
}

static enum expr_result fetch_list_str(struct fetch_call *call, struct sample *smp)
{
	const SSL *ssl = tls_link_ssl(tls_fetch_link(call, TLS_CLIENT));
	struct span list = hello_wanted(call);
	struct text t;
	size_t i;

	text_init(&t, expr_scratch(), expr_scratch_size);
	for (i = 0; i + 2 <= list.len; i += 2) {
		if (i)
			text_char(&t, ',');
		put_cipher(&t, ssl, (const unsigned char *)list.ptr + i);
	}
	return text_found(&t, smp);
}

/* -- numbers ----------------------------------------------------------------------------------- */

static enum expr_result fetch_list_hash(struct fetch_call *call, struct sample *smp)
{
	const struct tls_capture *c = hello_capture(call);

	if (!c)
		return EXPR_NONE;
	smp->num = (int64_t)c->hash;
	return EXPR_FOUND;
}

static enum expr_result fetch_hello_id(struct fetch_call *call, struct sample *smp)
{
	const struct tls_capture *c = hello_capture(call);

	if (!c)
		return EXPR_NONE;
	smp->num = c->version;
	return EXPR_FOUND;
}

/* -- secrets ----------------------------------------------------------------------------------- */

static enum expr_result fetch_secret(struct fetch_call *call, struct sample *smp)
{
	smp->str = tls_link_secret(tls_fetch_link(call, TLS_CLIENT),
				   (enum tls_secret)call->row->data);
	smp->flags |= SMP_CONST;
	return smp->str.ptr ? EXPR_FOUND : EXPR_NONE;
}

#define LIST(name, kind, run, which, text)                                                    \
	{ "ssl_fc_" name, ARGS(0, ARG_INT), kind, FROM_TLS_CLIENT, run,                        \
	  .data = which, .help = text }
#define PLAIN(name, kind, run, which, text)                                                   \
	{ "ssl_fc_" name, { 0 }, kind, FROM_TLS_CLIENT, run, .data = which, .help = text }
#define SECRET(name, which) PLAIN(name, SMP_STR, fetch_secret, which, "this secret of TLS 1.3")

const struct fetch fetch_hello[] = {
	LIST("cipherlist_bin", SMP_BIN, fetch_list_bin, LIST_CIPHERS,
	     "cipher suites of the ClientHello; 1: without GREASE"),
	LIST("cipherlist_hex", SMP_STR, fetch_list_hex, LIST_CIPHERS, "the same in hexadecimal"),
	LIST("cipherlist_str", SMP_STR, fetch_list_str, LIST_CIPHERS, "the same by their names"),
	PLAIN("cipherlist_xxh", SMP_INT, fetch_list_hash, 0, "XXH64 of the cipher suites"),
	SECRET("client_early_traffic_secret", TLS_SECRET_CLIENT_EARLY),
	SECRET("client_handshake_traffic_secret", TLS_SECRET_CLIENT_HANDSHAKE),
	SECRET("client_traffic_secret_0", TLS_SECRET_CLIENT_TRAFFIC),
	SECRET("early_exporter_secret", TLS_SECRET_EARLY_EXPORTER),
	PLAIN("ecformats_bin", SMP_BIN, fetch_list_bin, LIST_FORMATS,
	      "point formats of the ClientHello"),
	LIST("eclist_bin", SMP_BIN, fetch_list_bin, LIST_GROUPS,
	     "groups of the ClientHello; 1: without GREASE"),
	SECRET("exporter_secret", TLS_SECRET_EXPORTER),
	LIST("extlist_bin", SMP_BIN, fetch_list_bin, LIST_EXTENSIONS,
	     "types of extensions of the ClientHello; 1: without GREASE"),
	PLAIN("protocol_hello_id", SMP_INT, fetch_hello_id, 0, "version in the ClientHello"),
	SECRET("server_handshake_traffic_secret", TLS_SECRET_SERVER_HANDSHAKE),
	SECRET("server_traffic_secret_0", TLS_SECRET_SERVER_TRAFFIC),
	{ 0 },
};
