/* SPDX-License-Identifier: BSD-2-Clause */
/* What other languages call the words of this one, and words that have lost the one in front of
 * them. Tables: a row a word. Called where a problem has been reported. */
#include "config/foreign.h"

#include "base/bug.h"
#include "config/keyword.h"
#include "config/lookup.h"
#include "config/reader.h"

#include <string.h>
#include <strings.h>

enum { LINES = SCOPE_GLOBAL | SCOPE_PROXY };

struct foreign {
	unsigned scope;
	const char *name, *cure; /* its words are parted by blanks; the sentence */
};

static const struct foreign words[] = {
	{ SCOPE_BACKEND, "maxconn", "did you mean 'maxconn' of server lines, or 'fullconn'?" },
	{ LINES, "include",
	  "files are named by -f, which may be repeated and takes directories, too" },
	{ LINES, "upstream", "a group of servers is a section 'backend'" },
	{ LINES, "proxy_pass", "'default_backend' and 'use_backend' lead to a section 'backend'" },
	{ LINES, "server_name",
	  "names are told apart by conditions: 'use_backend NAME if { hdr(host) NAME }'" },
	{ LINES, "location",
	  "paths are told apart by conditions: 'use_backend NAME if { path_beg /x }'" },
	{ LINES, "ssl_certificate", "it is 'crt' of a bind line: 'bind :443 ssl crt FILE'" },
	{ LINES, "port", "a port stands on a bind line: 'bind :80'" },
	{ LINES, "ssl", "it is a word of bind and server lines: 'bind :443 ssl crt FILE'" },
	{ LINES, "rewrite", "paths are rewritten by 'http-request replace-path REGEX PATH'" },
	{ LINES, "header", "did you mean 'http-request set-header'?" },
	{ LINES, "gzip", "'compression algo gzip' compresses" },
	{ LINES, "retry", "did you mean 'retries'?; 'retry-on' says when" },
	{ LINES, "sticky",
	  "'cookie', or 'stick-table' with 'stick on', keeps clients at a server" },
	{ LINES, "health-check", "'check' of a server line and 'option httpchk' check servers" },
	{ LINES, "healthcheck", "'check' of a server line and 'option httpchk' check servers" },
	{ LINES, "access_log", "'log ADDRESS FACILITY' and 'option httplog' log requests" },
	{ LINES, "keepalive", "did you mean 'option http-keep-alive'?" },
	{ LINES, "option keepalive", "did you mean 'option http-keep-alive'?" },
	{ LINES, "option gzip", "'compression algo gzip' compresses" },
	{ LINES, "option ssl", "TLS is a matter of 'ssl' on bind and server lines" },
	{ LINES, "option stats", "'stats enable' shows them" },
	{ LINES, "option proxy-protocol",
	  "it is 'accept-proxy' on bind lines and 'send-proxy' on server lines" },
	{ LINES, "timeout read",
	  "towards clients it is 'timeout client', towards servers "
	  "'timeout server'" },
	{ LINES, "timeout idle", "did you mean 'timeout client' or 'timeout http-keep-alive'?" },

	{ SCOPE_BIND | SCOPE_SERVER, "tls", "did you mean 'ssl'?" },
	{ SCOPE_BIND | SCOPE_SERVER, "https", "did you mean 'ssl'?" },
	{ SCOPE_BIND | SCOPE_SERVER, "http2",
	  "did you mean 'proto h2' or, with 'ssl', 'alpn h2'?" },
	{ SCOPE_BIND | SCOPE_SERVER, "h2", "did you mean 'proto h2' or, with 'ssl', 'alpn h2'?" },
	{ SCOPE_BIND, "proxy-protocol", "did you mean 'accept-proxy'?" },
	{ SCOPE_BIND, "proxy_protocol", "did you mean 'accept-proxy'?" },
	{ SCOPE_BIND, "certificate", "did you mean 'crt FILE'?" },
	{ SCOPE_BIND, "cert", "did you mean 'crt FILE'?" },
	{ SCOPE_BIND, "key", "the key stands in the file of 'crt', or beside it as FILE.key" },
	{ SCOPE_BIND, "redirect",
	  "'http-request redirect scheme https unless { ssl_fc }' does it" },
	{ SCOPE_SERVER, "proxy-protocol", "did you mean 'send-proxy' or 'send-proxy-v2'?" },
	{ SCOPE_SERVER, "proxy_protocol", "did you mean 'send-proxy' or 'send-proxy-v2'?" },
	{ SCOPE_SERVER, "down", "did you mean 'disabled'?" },
	{ SCOPE_SERVER, "up", "a server takes part from the beginning: leave it out" },
	{ SCOPE_SERVER, "standby", "did you mean 'backup'?" },
	{ SCOPE_SERVER, "healthcheck", "did you mean 'check'?" },
	{ SCOPE_SERVER, "health-check", "did you mean 'check'?" },
};

/* Behind the first words of a line. */
static const struct foreign values[] = {
	{ ~0u, "balance src", "did you mean 'source'?" },
	{ ~0u, "balance ip_hash", "did you mean 'source'?" },
	{ ~0u, "balance ip-hash", "did you mean 'source'?" },
	{ ~0u, "balance rr", "did you mean 'roundrobin'?" },
	{ ~0u, "balance weighted", "'roundrobin' and others go by the 'weight' of server lines" },
	{ ~0u, "balance sticky", "'cookie', or 'stick-table' with 'stick on', keeps clients" },
	{ ~0u, "mode h2", "HTTP/2 is 'mode http' with 'alpn h2,http/1.1' on the bind line" },
	{ ~0u, "mode http2", "HTTP/2 is 'mode http' with 'alpn h2,http/1.1' on the bind line" },
	{ ~0u, "mode tls",
	  "did you mean 'tcp'?; TLS is a matter of 'ssl' on bind and server lines" },
	{ ~0u, "mode https",
	  "did you mean 'http'?; TLS is a matter of 'ssl' on bind and server lines" },
};

/* Does the name's next word equal this one, which may have its value with it: "cert=x"? Then
 * what follows it in the name; NULL: no. */
static const char *name_follows(const char *name, const char *word)
{
	size_t len = strcspn(name, " "), given = strcspn(word, "=(");

	if (len != given || strncasecmp(name, word, len) != 0)
		return NULL;
	return name[len] ? name + len + 1 : name + len;
}

static bool name_fits(const char *name, const struct statement *st, int i)
{
	for (; i < st->count && name && *name; i++)
		name = name_follows(name, st->words[i].text);
	return name && !*name;
}

bool foreign_word(struct statement *st, int i, unsigned scope)
{
	size_t n;

	for (n = 0; n < ARRAY_LEN(words); n++) {
		if (!(words[n].scope & scope) || !name_fits(words[n].name, st, i))
			continue;
		stmt_hint(st, "%s", words[n].cure);
		return true;
	}
	return false;
}

bool foreign_help(FILE *out, const char *word)
{
	const char *said = "", *rest;
	size_t n;

	for (n = 0; n < ARRAY_LEN(words); n++) {
		rest = name_follows(words[n].name, word);
		if (!rest || *rest || !strcmp(said, words[n].cure))
			continue;
		said = words[n].cure;
		fprintf(out, "%s\n", said);
	}
	return *said;
}

bool foreign_value(struct statement *st, const char *value)
{
	const char *rest;
	size_t n;

	for (n = 0; n < ARRAY_LEN(values); n++) {
		rest = name_follows(values[n].name, st->words[0].text);
		if (!rest || !name_follows(rest, value))
			continue;
		stmt_hint(st, "%s", values[n].cure);
		return true;
	}
	return false;
}

/* -- words that have lost the one in front of them -------------------------------------- */

/* Is it the name of an action of rules? */
static bool is_action(const char *word)
{
	static const char *const begins[] = { "set-", "add-", "del-", "replace-", "track-sc" };
	static const char *const names[] = { "deny",   "allow",       "reject",     "tarpit",
					     "return", "silent-drop", "auth",       "unset-var",
					     "cache-use", "do-resolve", "use-service" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(begins); i++)
		if (!strncmp(word, begins[i], strlen(begins[i])))
			return true;
	for (i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(word, names[i]))
			return true;
	return false;
}

bool foreign_first(struct statement *st, int i)
{
	static const char *const firsts[] = { "option", "timeout" };
	const char *word = st->words[i].text;
	const struct lookup_row *row;
	size_t n;

	for (n = 0; n < ARRAY_LEN(firsts); n++) {
		const struct word two[] = { { .text = firsts[n] }, { .text = word } };

		row = lookup_find(st->cfg->reader->index, st->scope, two, 2);
		if (!row || row->words < 2)
			continue;
		stmt_hint(st, "did you mean '%s%s %s'?", st->no ? "no " : "", firsts[n], word);
		return true;
	}
	if (st->scope & SCOPE_PROXY && is_action(word)) {
		stmt_hint(st, "did you mean 'http-request %s'?", word);
		return true;
	}
	return false;
}
