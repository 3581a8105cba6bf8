/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of server lines about TLS (manual 5.2: ssl, verify, verifyhost, ca-file, crt, check-ssl
 * ...), and what is made of them when the configuration is complete. `sni` holds an expression and
 * is parsed where it runs: stream/connect_tls.c. Files are read here, so that a reload that names a
 * wrong one is refused before it begins. Never opens a connection.
 */
#include "proxy/server_tls.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "proxy/check_target.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "proxy/part.h"
#include "tls/client.h"

#include <stdlib.h>
#include <string.h>

/* What the generation has made. */
struct server_tls {
	struct tls_client **clients;
	size_t count, room;
};

/* ---- words ------------------------------------------------------------------------------- */

static int tls_word(struct statement *st, const struct keyword *kw, void *object)
{
	return tls_settings_parse(st, kw->name, &((struct server *)object)->set.tls);
}

static int tls_verify(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_peek(st);

	if (word && !strcmp(word, "optional"))
		return stmt_error(st, st->at, "'verify optional' is for bind lines: towards servers it "
				  "is 'none' or 'required'");
	return tls_word(st, kw, object);
}

/* Read at once: where a relative path leads may depend on the file that it stands in. */
static int tls_crt(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the file with the certificate and its key"), *path;
	struct err err;

	(void)kw;
	if (!word)
		return -1;
	path = st->cfg->serving ? tls_client_known(st->cfg->arena, word, &err) :
				  tls_client_read(st->cfg->arena, word, &err);
	if (!path)
		return stmt_error(st, st->at - 1, "%s", err.text);
	((struct server *)object)->set.crt = path;
	return 0;
}

static int tls_name(struct statement *st, const struct keyword *kw, void *object)
{
	const char **field = (const char **)(void *)((char *)object + kw->offset);
	const char *word = stmt_need(st, "the name of a host");

	if (!word)
		return -1;
	if (!*word || strlen(word) > 255)
		return stmt_error(st, st->at - 1, "the name of a host has 1 to 255 letters");
	*field = arena_strdup(st->cfg->arena, word);
	return 0;
}

static int tls_no_verifyhost(struct statement *st, const struct keyword *kw, void *object)
{
	(void)st;
	(void)kw;
	((struct server *)object)->set.verifyhost = NULL;
	return 0;
}

static int tls_check_alpn(struct statement *st, const struct keyword *kw, void *object)
{
	struct tls_settings set = { .min_version = 0 };

	(void)kw;
	if (tls_settings_parse(st, "alpn", &set))
		return -1;
	((struct check_target *)check_target_within(st, object))->alpn = set.alpn;
	return 0;
}

static int tls_check_ssl(struct statement *st, const struct keyword *kw, void *object)
{
	struct options *options = &((struct server *)object)->set.options;

	(void)st;
	options->on &= ~(uint64_t)(SRV_CHECK_SSL | SRV_NO_CHECK_SSL);
	options->on |= kw->bit;
	return 0;
}

#define SET(field) offsetof(struct server, set.field)
#define WORD(name_, args_, dflt_, help_)                                              \
	{ name_, SCOPE_SERVER, 0, args_, tls_word, .dflt = dflt_, .help = help_ }
#define VERSIONS "{ SSLv3 | TLSv1.0 | TLSv1.1 | TLSv1.2 | TLSv1.3 }"

static const struct keyword server_tls_keywords[] = {
	WORD("allow-0rtt", "", "off", "requests may go along with the first message (early data)"),
	WORD("alpn", "<protocols>", "none", "protocols that are offered to it"),
	WORD("ca-file", "<file>", "none", "authorities that its certificate is verified by"),
	{ "check-alpn", SCOPE_SERVER, 0, "<protocols>", tls_check_alpn, .dflt = "as 'alpn'",
	  .help = "protocols that health checks offer" },
	{ "check-sni", SCOPE_SERVER, 0, "<name>", tls_name,
	  .within = check_target_within, .offset = offsetof(struct check_target, sni),
	  .dflt = "none", .help = "the name that health checks ask for" },
	{ "check-ssl", SCOPE_SERVER, 0, "", tls_check_ssl, .bit = SRV_CHECK_SSL,
	  .dflt = "as 'ssl', unless 'port' or 'addr' is given",
	  .help = "health checks speak TLS" },
	{ "no-check-ssl", SCOPE_SERVER, 0, "", tls_check_ssl, .bit = SRV_NO_CHECK_SSL,
	  .help = "health checks do not speak TLS" },
	WORD("ciphers", "<ciphers>", "OpenSSL's", "ciphers up to TLS 1.2"),
	WORD("ciphersuites", "<suites>", "OpenSSL's", "ciphers of TLS 1.3"),
	WORD("client-sigalgs", "<list>", "OpenSSL's", "signatures that our certificate may make"),
	WORD("crl-file", "<file>", "none", "lists of revoked certificates"),
	{ "crt", SCOPE_SERVER, 0, "<file>", tls_crt, .dflt = "none",
	  .help = "our certificate and key, for servers that ask" },
	WORD("curves", "<curves>", "OpenSSL's", "elliptic curves for the key exchange"),
	WORD("force-sslv3", "", NULL, "not spoken by OpenSSL 3"),
	WORD("force-tlsv10", "", NULL, "TLS 1.0 and nothing else"),
	WORD("force-tlsv11", "", NULL, "TLS 1.1 and nothing else"),
	WORD("force-tlsv12", "", NULL, "TLS 1.2 and nothing else"),
	WORD("force-tlsv13", "", NULL, "TLS 1.3 and nothing else"),
	WORD("no-ssl", "", NULL, "takes back an 'ssl' of default-server"),
	WORD("no-ssl-reuse", "", NULL, "each connection makes a full handshake"),
	WORD("no-sslv3", "", NULL, "without effect: OpenSSL 3 does not speak it"),
	WORD("no-tls-tickets", "", NULL, "no session tickets up to TLS 1.2"),
	WORD("no-tlsv10", "", NULL, "not TLS 1.0"),
	WORD("no-tlsv11", "", NULL, "not TLS 1.1"),
	WORD("no-tlsv12", "", NULL, "not TLS 1.2"),
	WORD("no-tlsv13", "", NULL, "not TLS 1.3"),
	{ "no-verifyhost", SCOPE_SERVER, 0, "", tls_no_verifyhost,
	  .help = "takes back a 'verifyhost' of default-server" },
	WORD("npn", "<protocols>", NULL, "without effect: use 'alpn'"),
	WORD("sigalgs", "<list>", "OpenSSL's", "signature algorithms that are accepted of it"),
	WORD("ssl", "", "off", "connections to it speak TLS"),
	WORD("ssl-max-ver", VERSIONS, "TLSv1.3", "newest version that is spoken"),
	WORD("ssl-min-ver", VERSIONS, "TLSv1.2", "oldest version that is spoken"),
	WORD("ssl-reuse", "", NULL, "takes back a 'no-ssl-reuse' of default-server"),
	WORD("tls-tickets", "", NULL, "takes back a 'no-tls-tickets' of default-server"),
	{ "verify", SCOPE_SERVER, 0, "{ none | required }", tls_verify, .dflt = "required",
	  .help = "whether its certificate is verified" },
	{ "verifyhost", SCOPE_SERVER, 0, "<hostname>", tls_name, .offset = SET(verifyhost),
	  .dflt = "none", .help = "the name that its certificate must be for, without 'sni'" },
	{ 0 }
};

/* ---- the end ----------------------------------------------------------------------------- */

/* The list without the names of protocols that are not the usual one. */
static struct span usual_alone(struct config *cfg, const struct span *alpn)
{
	char *kept = arena_alloc(cfg->arena, alpn->len + 1);

	return (struct span){ kept, proto_names_of(PROTO_USUAL, *alpn, kept) };
}

/* What checks offer that speak the usual protocol: whoever is offered another might take it. */
static void check_offers(struct config *cfg, struct server *s, const struct span *alpn)
{
	const struct check_target *target = check_target_of(s);
	const struct span *offered = target->alpn.len ? &target->alpn : alpn;
	struct span rest = usual_alone(cfg, offered), out;

	if (rest.len == offered->len)
		return;
	s->check_alpn_usual = rest.len ? rest : protos[PROTO_USUAL].alpn;
	if (target->alpn.len && target->proto == PROTO_USUAL) {
		out = proto_unusual(*offered);
		config_notice(cfg, &s->loc, "server '%s': with 'check-proto %s', '%.*s' of "
			      "'check-alpn' is left out", s->id, proto_words[PROTO_USUAL],
			      (int)out.len, out.ptr);
	}
}

/* What is offered, and who carries exchanges then. */
static int choose_protocol(struct config *cfg, struct server *s, struct tls_settings *set)
{
	bool http = s->proxy->set.mode == MODE_HTTP;
	struct span rest, out;

	if (http && s->set.proto > PROTO_USUAL && !set->has_alpn) {
		set->alpn = protos[s->set.proto].alpn;
		set->has_alpn = true;
	}
	check_offers(cfg, s, &set->alpn);
	if (!http)
		return 0;
	rest = usual_alone(cfg, &set->alpn);
	if (rest.len == set->alpn.len || s->set.proto > PROTO_USUAL || !(set->options.on & TLS_SSL))
		return 0;
	if (s->set.proto == PROTO_UNSET) {
		s->carrier = CARRIER_BY_ALPN;
		s->ws = (uint8_t)(s->set.ws ? s->set.ws : rest.len ? PROTO_USUAL : PROTO_UNSET);
		s->proxy->set.retry_on |= RETRY_UNPROCESSED;
		return 0;
	}
	out = proto_unusual(set->alpn);
	if (!rest.len)
		return config_error(cfg, &s->loc, "server '%s': 'alpn %.*s' does not go with 'proto %s'",
				    s->id, (int)out.len, out.ptr, proto_words[PROTO_USUAL]);
	config_notice(cfg, &s->loc, "server '%s': with 'proto %s', '%.*s' of 'alpn' is left out",
		      s->id, proto_words[PROTO_USUAL], (int)out.len, out.ptr);
	set->alpn = rest;
	return 0;
}

static int check_settings(struct config *cfg, const struct server *s, const struct tls_settings *set)
{
	const char *doubt = NULL;
	struct err err;
	int min, max;

	if (set->verify != TLS_VERIFY_NONE && !set->ca_file)
		return config_error(cfg, &s->loc, "server '%s' speaks TLS and its certificate is to be "
				    "verified, but there is no 'ca-file': name one ('@system-ca' are the "
				    "system's authorities), or say 'verify none' where the network is to be "
				    "trusted ('ssl-server-verify none' for all servers)", s->id);
	if (tls_settings_versions(set, &min, &max, NULL, &doubt, &err))
		return config_error(cfg, &s->loc, "server '%s': %s", s->id, err.text);
	if (doubt)
		config_warning(cfg, &s->loc, "server '%s': %s", s->id, doubt);
	if (set->options.on & TLS_ALLOW_0RTT && set->options.on & (TLS_NO_REUSE | TLS_KERNEL))
		config_warning(cfg, &s->loc, "server '%s': 'allow-0rtt' has no effect with '%s'", s->id,
			       set->options.on & TLS_NO_REUSE ? "no-ssl-reuse" : "ktls on");
	return 0;
}

static struct tls_client **client_room(struct server_tls *data)
{
	size_t room = data->room ? data->room * 2 : 16;
	struct tls_client **more;

	if (data->count == data->room) {
		more = realloc(data->clients, room * sizeof(*more));
		if (!more)
			return NULL;
		data->clients = more;
		data->room = room;
	}
	return &data->clients[data->count];
}

/* One that comes while the program serves has its client for itself: what the context keeps of the
 * words goes with it. */
static struct tls_client *client_make(struct config *cfg, struct server *s)
{
	struct server_tls *data = config_data(cfg, &server_tls_module);
	struct tls_client *own, **place = s->arena ? &own : client_room(data);
	struct tls_settings set = s->set.tls;
	struct tls_client_conf conf = { &set, s->set.crt, s->set.verifyhost,
					s->arena ? (const void *)s : data };
	struct err err = { "out of memory" };
	char memory[256];
	const char *doubt;
	struct text age;

	if (s->tls_defaults)
		tls_settings_inherit(&set, s->tls_defaults);
	if (!set.verify)
		set.verify = tls_global.server.verify;
	if (choose_protocol(cfg, s, &set) || check_settings(cfg, s, &set))
		return NULL;
	if (!place || !(*place = tls_client_new(&conf, &err))) {
		config_error(cfg, &s->loc, "server '%s': %s", s->id, err.text);
		return NULL;
	}
	doubt = tls_client_doubt(*place);
	if (doubt)
		config_warning(cfg, &s->loc, "server '%s': '%s': %s", s->id, s->set.crt, doubt);
	text_init(&age, memory, sizeof(memory));
	if (tls_client_aged(*place, &age))
		config_notice(cfg, &s->loc, "server '%s': '%s': %s", s->id, s->set.crt, memory);
	data->count += !s->arena;
	return *place;
}

static int need_client(struct config *cfg, struct server *s)
{
	if (!s->check_tls)
		s->check_tls = client_make(cfg, s);
	return s->check_tls ? 0 : -1;
}

/* "no-ssl" behind a default-server with "ssl": "set server ssl on" may undo it, if something says
 * how the server's certificate is judged. */
static bool switched_later(const struct server *s)
{
	const struct tls_settings *set = &s->set.tls;
	bool verify_none =
		(set->verify ? set->verify : tls_global.server.verify) == TLS_VERIFY_NONE;

	return set->options.given & TLS_SSL && (set->ca_file || verify_none);
}

static int server_finish(struct config *cfg, struct server *s)
{
	bool ssl = s->set.tls.options.on & TLS_SSL, later = switched_later(s);

	if (!ssl && !later && !(s->set.options.on & SRV_CHECK_SSL))
		return 0;
	if (need_client(cfg, s))
		return -1;
	if (ssl)
		s->tls = s->check_tls;
	s->tls_switch = s->check_tls;
	s->particular |= s->tls != NULL;
	return 0;
}

static void server_tls_free(struct server *s)
{
	if (!s->arena || !s->check_tls)
		return;
	s->tls = NULL;
	tls_client_free(&s->check_tls);
}

/* At once, in every process: a command that deletes the files may come right behind. */
static void server_tls_leave(struct server *s)
{
	tls_client_leave(s->check_tls);
}

struct server_part tls_server_part = { .make = server_finish, .leave = server_tls_leave,
					     .free = server_tls_free };

static int server_tls_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	struct server *s;
	int rc = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (!s->refused && server_finish_with(cfg, s, server_finish))
				rc = -1;
	return rc;
}

static void server_tls_init(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	server_need_tls = need_client;
}

static void server_tls_release(void *object)
{
	struct server_tls *data = object;

	while (data->count)
		tls_client_free(&data->clients[--data->count]);
	free(data->clients);
}

const struct module server_tls_module = {
	.name = "server-tls",
	.keywords = server_tls_keywords,
	.data_size = sizeof(struct server_tls),
	.init = server_tls_init,
	.finish = server_tls_finish,
	.release = server_tls_release,
};
