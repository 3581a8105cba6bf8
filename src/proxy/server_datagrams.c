/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of server lines that mean nothing in a section udp-lb: what only connections have. */
#include "config.h"

#include "base/bug.h"
#include "config/config.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/server.h"
#include "tls/settings.h"

#include <string.h>

static const struct {
	const char *word, *why;
} refused[] = {
	{ "check-via-socks4", "'socks4' is for connections alone" },
	{ "cookie", "cookies are of HTTP" },
	{ "max-reuse", "no connection is kept" },
	{ "maxqueue", "datagrams do not wait in a queue" },
	{ "minconn", "datagrams do not wait in a queue: 'maxconn' bounds the sessions" },
	{ "non-stick", "there are no stick tables" },
	{ "pool-low-conn", "no connection is kept" },
	{ "pool-max-conn", "no connection is kept" },
	{ "pool-purge-delay", "no connection is kept" },
	{ "proto", "it chooses how connections speak HTTP" },
	{ "redir", "it is of HTTP" },
	{ "send-proxy", "a header of version 2 goes in front of each: 'send-proxy-v2'" },
	{ "set-proxy-v2-tlv-fmt", "headers of datagrams tell addresses alone" },
	{ "sni", "it is of TLS" },
	{ "socks4", "it is for connections alone" },
	{ "ssl", "they are not encrypted; QUIC and DTLS pass as they are" },
	{ "stick", "there are no stick tables" },
	{ "strict-maxconn", "no connection is kept" },
	{ "tcp-ut", "it is of TCP" },
	{ "tfo", "it is of TCP" },
	{ "ws", "it is of HTTP" },
};

static bool line_has(const struct statement *st, const char *word)
{
	int i;

	for (i = 0; i < st->count; i++)
		if (!strcmp(st->words[i].text, word))
			return true;
	return false;
}

static bool is_setting(const char *word)
{
#ifdef HAVE_OPENSSL
	return tls_settings_word(word, TLS_IN_SERVER) >= 0;
#else
	(void)word;
	return false;
#endif
}

/* Words of TLS serve checks, where these speak it. */
static bool is_tls(const struct statement *st, const struct server *s, const char *word)
{
	return (!strcmp(word, "verifyhost") || !strcmp(word, "crt") ||
		is_setting(word)) &&
	       !(s->set.options.on & SRV_CHECK_SSL) && !line_has(st, "check-ssl");
}

bool server_refuses_datagrams(struct statement *st, void *object)
{
	const struct server *s = object;
	const char *word = st->words[st->at].text;
	size_t i;

	for (i = 0; i < ARRAY_LEN(refused); i++)
		if (!strcmp(word, refused[i].word))
			break;
	if (i == ARRAY_LEN(refused) && !is_tls(st, s, word))
		return false;
	stmt_error(st, st->at, "'%s' is not for datagrams: '%s' is an udp-lb section", word,
		   s->proxy->name);
	stmt_hint(st, "leave it out: %s", i < ARRAY_LEN(refused) ? refused[i].why :
		  "it is of TLS, which only checks with 'check-ssl' speak here");
	st->at++;
	return true;
}
