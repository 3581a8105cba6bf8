/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of server lines about what PROXY headers of version 2 tell besides addresses (manual
 * 5.2). */
#include "stream/proxyheader.h"

#include "base/arena.h"
#include "base/err.h"
#include "expr/logformat.h"
#include "expr/expr.h"
#include "net/proxyproto.h"
#include "proxy/proxy.h"

#include <stdlib.h>
#include <string.h>

/* Headers of clients are to be kept with their sessions. */
static void need_vectors(struct config *cfg)
{
	((struct proxies *)config_data(cfg, &proxy_module))->global.keeps_vectors = true;
}

/* send-proxy-v2-ssl and -ssl-cn; kw->bit: what they add. */
static int parse_send(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	(void)st;
	s->set.options.on |= SRV_SEND_PROXY_V2;
	s->set.options.given |= SRV_SEND_PROXY_V2;
	s->set.proxy_v2 |= (unsigned)kw->bit;
	return 0;
}

static int parse_no_send(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	(void)st;
	s->set.options.on &= ~(uint64_t)SRV_SEND_PROXY_V2;
	s->set.options.given |= SRV_SEND_PROXY_V2;
	s->set.proxy_v2 &= ~(unsigned)kw->bit;
	return 0;
}

static const struct {
	const char *name;
	unsigned bit;
} option_rows[] = {
	{ "ssl", PROXY_V2_SSL },           { "cert-cn", PROXY_V2_CERT_CN },
	{ "ssl-cipher", PROXY_V2_SSL_CIPHER }, { "cert-sig", PROXY_V2_CERT_SIG },
	{ "cert-key", PROXY_V2_CERT_KEY }, { "authority", PROXY_V2_AUTHORITY },
	{ "crc32c", PROXY_V2_CRC32C },     { "unique-id", PROXY_V2_UNIQUE_ID },
};

static unsigned option_bit(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(option_rows); i++)
		if (!strcmp(option_rows[i].name, name))
			return option_rows[i].bit;
	return 0;
}

/* Those of default-server stay. */
static int parse_options(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a list of options");
	struct server *s = object;
	char *list, *name;
	unsigned bit;

	(void)kw;
	if (!word)
		return -1;
	list = arena_strdup(st->cfg->arena, word);
	while ((name = strsep(&list, ","))) {
		bit = option_bit(name);
		if (!bit)
			return stmt_error(st, st->at - 1, "'%s' is not known to "
					  "'proxy-v2-options': ssl, cert-cn, ssl-cipher, "
					  "cert-sig, cert-key, authority, crc32c, unique-id", name);
		s->set.proxy_v2 |= bit;
	}
	if (s->set.proxy_v2 & PROXY_V2_AUTHORITY)
		need_vectors(st->cfg);
	return 0;
}

/* "(0xE1)" or "(225)". */
static int vector_type(const char *text, uint8_t *type)
{
	char *end;
	unsigned long n;

	if (*text != '(' || text[1] < '0' || text[1] > '9')
		return -1;
	n = strtoul(text + 1, &end, 0);
	if (strcmp(end, ")") || n > UINT8_MAX)
		return -1;
	*type = (uint8_t)n;
	return 0;
}

/* A further one; one of the same type, of default-server say, is replaced. */
static void add_vector(struct arena *arena, struct server_settings *set, struct server_vector v)
{
	struct server_vector *all = arena_alloc(arena, (set->vector_count + 1) * sizeof(*all));
	unsigned i;

	for (i = 0; i < set->vector_count && set->vectors[i].type != v.type; i++)
		;
	if (set->vector_count)
		memcpy(all, set->vectors, set->vector_count * sizeof(*all));
	all[i] = v;
	if (i == set->vector_count)
		set->vector_count++;
	set->vectors = all;
}

static int parse_vector(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = st->words[st->at - 1].text, *text;
	struct server *s = object;
	struct expr_context ctx = { .cfg = st->cfg, .loc = st->loc, .proxy = s->proxy };
	struct err err = { "" };
	struct server_vector v;

	if (vector_type(word + strlen(kw->name), &v.type))
		return stmt_error(st, st->at - 1, "'%s' is followed by a type in parentheses, from "
				  "0 to 255 in decimal or as 0x...: %s(0xE1)", kw->name, kw->name);
	if (v.type == PROXYPROTO_CRC32C)
		return stmt_error(st, st->at - 1, "the checksum is not given, but made: "
				  "'proxy-v2-options crc32c'");
	text = stmt_need(st, "a format");
	if (!text)
		return -1;
	v.format = logformat_compile_as(FORMAT_RAW, text, &ctx, AT_SERVER, &err);
	if (!v.format)
		return stmt_error(st, st->at - 1, "%s", err.text);
	add_vector(st->cfg->arena, &s->set, v);
	return 0;
}

#define SEND(name_, parser, bits, text)                                                \
	{ .name = name_, .scope = SCOPE_SERVER, .args = "", .parse = parser, .bit = bits, \
	  .help = text }

static const struct keyword keywords[] = {
	{ .name = "proxy-v2-options", .scope = SCOPE_SERVER, .args = "<option>[,<option>]*",
	  .parse = parse_options, .dflt = "addresses alone",
	  .help = "what 'send-proxy-v2' tells besides addresses" },
	SEND("send-proxy-v2-ssl", parse_send, PROXY_V2_SSL,
	     "PROXY protocol version 2 towards it, with what is known of the client's TLS"),
	SEND("send-proxy-v2-ssl-cn", parse_send, PROXY_V2_SSL | PROXY_V2_CERT_CN,
	     "the same, with the common name of the client's certificate"),
	SEND("no-send-proxy-v2-ssl", parse_no_send, PROXY_V2_SSL,
	     "takes back a 'send-proxy-v2-ssl' of default-server"),
	SEND("no-send-proxy-v2-ssl-cn", parse_no_send, PROXY_V2_SSL | PROXY_V2_CERT_CN,
	     "takes back a 'send-proxy-v2-ssl-cn' of default-server"),
	{ .name = "set-proxy-v2-tlv-fmt", .scope = SCOPE_SERVER, .flags = KW_PARENS,
	  .args = "(<id>) <fmt>", .parse = parse_vector,
	  .help = "a further value that 'send-proxy-v2' tells" },
	{ .name = NULL },
};

/* Words that ask for nothing. */
static int check_server(struct config *cfg, const struct server *s)
{
	const struct server_settings *set = &s->set;

	if (s->refused || set->options.given & SRV_SEND_PROXY_V2)
		return 0; /* a "no-" in front of it is meant */
	if (set->proxy_v2 || set->vector_count)
		config_warning(cfg, &s->loc,
			       "server '%s': '%s' says nothing without 'send-proxy-v2'", s->id,
			       set->proxy_v2 ? "proxy-v2-options" : "set-proxy-v2-tlv-fmt");
	return 0;
}

static int proxyheader_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct server *s;
	struct proxy *px;

	(void)data;
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (check_server(cfg, s) < 0)
				return -1;
	return 0;
}

const struct module proxyheader_module = {
	.name = "proxy headers",
	.keywords = keywords,
	.finish = proxyheader_finish,
};
