/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a server line that ask for 'ssl' or 'check', where neither the line nor the
 * default-server lines above have it. Called for each server line. */
#include "proxy/server_doubt.h"

#include "proxy/proxy.h"

#include <string.h>

/* Which of the words stands in the line, behind name and address? 0: none. */
static int find(const struct statement *st, const char *const *words)
{
	const char *const *w;
	int i;

	for (i = 3; i < st->count; i++)
		for (w = words; *w; w++)
			if (!strcmp(st->words[i].text, *w))
				return i;
	return 0;
}

static void doubt_tls(struct statement *st, const struct server *s)
{
	static const char *const words[] = { "verify", "verifyhost", "ca-file", "crl-file", "sni",
					     "alpn", "ciphers", "ciphersuites", "ssl-min-ver",
					     "ssl-max-ver", NULL };
	static const char *const meant[] = { "ssl", "no-ssl", "check-ssl", NULL };
	int i = find(st, words);

	if (!i || s->set.tls.options.on & TLS_SSL || s->set.options.on & SRV_CHECK_SSL ||
	    find(st, meant))
		return;
	stmt_note(st, i, "server '%s': '%s' has no effect without 'ssl'", s->id, st->words[i].text);
}

static void doubt_checks(struct statement *st, const struct server *s)
{
	static const char *const words[] = { "inter",
					     "fastinter",
					     "downinter",
					     "rise",
					     "fall",
					     "port",
					     "addr",
					     "check-ssl",
					     "check-sni",
					     "check-alpn",
					     "check-proto",
					     "check-send-proxy",
					     "check-via-socks4",
					     "on-marked-down",
					     "on-marked-up",
					     NULL };
	static const char *const meant[] = { "check", "no-check", "agent-check", "observe", "track",
					     NULL };
	int i = find(st, words);

	if (!i || s->set.options.on & (SRV_CHECK | SRV_AGENT_CHECK) || s->set.track ||
	    find(st, meant))
		return;
	stmt_note(st, i, "server '%s': '%s' has no effect without 'check'", s->id,
		  st->words[i].text);
}

void server_doubt_words(struct statement *st, const struct server *s)
{
	if (proxy_is_udp(s->proxy))
		return;
	doubt_tls(st, s);
	doubt_checks(st, s);
}
