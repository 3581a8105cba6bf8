/* SPDX-License-Identifier: BSD-2-Clause */
/* Words httpclient.* (manual 3.1), the TLS that they come to, and the hidden proxy of which each
 * host that is asked gets a copy: its counters are those of all, for nobody sees them. Files are
 * read while the configuration is. Where no word says otherwise, certificates are verified by
 * the system's authorities; where these cannot be read there is no TLS, and no error: who asks
 * for it is told. */
#include "client/client_conf.h"

#include "base/err.h"
#include "config/config.h"
#include "config/module.h"
#include "dns/files.h"
#include "dns/lookup.h"
#include "dns/message.h"
#include "dns/resolvers.h"
#include "proxy/proxy_conf.h"
#include "tls/client.h"
#include "tls/settings.h"

#include "config.h"

#include <netinet/in.h>
#include <string.h>

struct client_settings {
	const char *resolvers;         /* NULL: not given */
	struct location resolvers_loc, tls_loc;
	int prefer;                    /* of families */
	int disabled;                  /* of switches */
	unsigned retries, connect_ms;
	bool given;                    /* a word was */
	bool tls_given;                /* one about TLS */
	int verify;                    /* of verifies */
	struct tls_settings tls;       /* ca_file; NULL: the system's */
};

struct client_conf client_conf = { .retries = 3, .connect_ms = 5000, .family = AF_INET6 };
static bool on;
static const char *const families[] = { "ipv6", "ipv4", NULL };
static const char *const switches[] = { "off", "on", NULL };
#ifdef HAVE_OPENSSL
static const char *const verifies[] = { "required", "none", NULL };
#endif

/* ---- TLS ------------------------------------------------------------------------------------ */

static struct tls_client *tls;
static struct err no_client;

const char *client_tls_off(void)
{
	return tls ? NULL : no_client.text;
}

struct tls_client *client_tls(void)
{
	return tls;
}

#ifdef HAVE_OPENSSL

static void tls_end(void)
{
	if (tls)
		tls_client_free(&tls);
}

static int tls_make(struct config *cfg, struct client_settings *conf)
{
	struct tls_client_conf of = { .set = &conf->tls };

	tls_end(); /* that of a configuration that was only looked at */
	conf->tls.verify = conf->verify ? TLS_VERIFY_NONE : TLS_VERIFY_REQUIRED;
	if (!conf->tls.ca_file && !conf->verify)
		conf->tls.ca_file = "@system-ca";
	tls_settings_inherit(&conf->tls, &tls_global.server);
	tls = tls_client_new(&of, &no_client);
	if (tls || !conf->tls_given)
		return 0;
	return config_error(cfg, &conf->tls_loc, "the HTTP client cannot speak TLS: %s", no_client.text);
}

static void tls_given(struct client_settings *conf, const struct statement *st)
{
	conf->given = conf->tls_given = true;
	conf->tls_loc = st->loc;
}

static int parse_ca(struct statement *st, const struct keyword *kw, void *object)
{
	struct client_settings *conf = object;

	(void)kw;
	tls_given(conf, st);
	return tls_settings_parse(st, "ca-file", &conf->tls);
}

static int parse_verify(struct statement *st, const struct keyword *kw, void *object)
{
	tls_given(object, st);
	return set_enum(st, kw, object);
}

#else

static int tls_make(struct config *cfg, struct client_settings *conf)
{
	(void)cfg;
	(void)conf;
	err_set(&no_client, "this build has no TLS");
	return 0;
}

static void tls_end(void)
{
}

#endif

/* ---- words ---------------------------------------------------------------------------------- */

static int parse_resolvers(struct statement *st, const struct keyword *kw, void *object)
{
	struct client_settings *conf = object;

	conf->given = true;
	conf->resolvers_loc = st->loc;
	return set_string(st, kw, object);
}

static int parse_unsigned(struct statement *st, const struct keyword *kw, void *object)
{
	((struct client_settings *)object)->given = true;
	return set_unsigned(st, kw, object);
}

static int parse_duration(struct statement *st, const struct keyword *kw, void *object)
{
	((struct client_settings *)object)->given = true;
	return set_duration(st, kw, object);
}

static int parse_enum(struct statement *st, const struct keyword *kw, void *object)
{
	((struct client_settings *)object)->given = true;
	return set_enum(st, kw, object);
}

#define AT(field) offsetof(struct client_settings, field)

static const struct keyword keywords[] = {
	{ "httpclient.resolvers.id", SCOPE_GLOBAL, 0, "<resolvers id>", parse_resolvers,
	  .offset = AT(resolvers), .dflt = "default",
	  .help = "section \"resolvers\" by which the HTTP client looks names up" },
	{ "httpclient.resolvers.prefer", SCOPE_GLOBAL, 0, "{ ipv4 | ipv6 }", parse_enum,
	  .offset = AT(prefer), .names = families, .dflt = "ipv6",
	  .help = "whose addresses the HTTP client tries first" },
	{ "httpclient.resolvers.disabled", SCOPE_GLOBAL, 0, "{ on | off }", parse_enum,
	  .offset = AT(disabled), .names = switches, .dflt = "off",
	  .help = "the HTTP client asks nobody for names" },
	{ "httpclient.retries", SCOPE_GLOBAL, 0, "<number>", parse_unsigned, .offset = AT(retries),
	  .min = 0, .max = 100, .dflt = "3",
	  .help = "how often the HTTP client tries again to connect" },
	{ "httpclient.timeout.connect", SCOPE_GLOBAL, 0, "<time>", parse_duration,
	  .offset = AT(connect_ms), .min = 1, .max = INT32_MAX, .dflt = "5s",
	  .help = "most that a connection of the HTTP client takes, TLS included" },
#ifdef HAVE_OPENSSL
	{ "httpclient.ssl.ca-file", SCOPE_GLOBAL, 0, "<file>", parse_ca, .dflt = "@system-ca",
	  .help = "authorities that servers of the HTTP client are verified by" },
	{ "httpclient.ssl.verify", SCOPE_GLOBAL, 0, "{ none | required }", parse_verify,
	  .offset = AT(verify), .names = verifies, .dflt = "required",
	  .help = "whether certificates of servers of the HTTP client are verified" },
#endif
	{ 0 }
};

static void init(struct config *cfg, void *data)
{
	(void)cfg;
	*(struct client_settings *)data = (struct client_settings){ .retries = 3, .connect_ms = 5000 };
}

/* "default" may not be there: then names of /etc/hosts are all. */
static int check_resolvers(struct config *cfg, const struct client_settings *conf)
{
	const char *name = conf->resolvers ? conf->resolvers : "default";
	struct resolvers *found = resolvers_find(cfg, name);

	dns_resolvers = conf->disabled ? NULL : found;
	if (!conf->resolvers)
		return 0;
	if (!dns_library())
		return config_error(cfg, &conf->resolvers_loc,
				    "this build asks no name servers: it was made without c-ares");
	if (found || !strcmp(name, "default"))
		return 0;
	config_error(cfg, &conf->resolvers_loc, "there is no section 'resolvers %s'", name);
	resolvers_suggest(cfg, name);
	return -1;
}

/* Among the hidden ones, for its states and counters; behind it nobody listens. */
static void make_proxy(struct config *cfg)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px = proxy_new(cfg, "<HTTPCLIENT>", PROXY_FRONTEND | PROXY_BACKEND, NULL, NULL);

	px->set.mode = MODE_HTTP;
	px->set.retries = 0; /* own_request.c tries again, with another address */
	px->set.timeout.connect = client_conf.connect_ms;
	px->stats_socket = true;
	px->dispatch = server_conf_make(cfg, px, "<NOSRV>");
	server_settings_init(&px->dispatch->set);
	list_append(&all->stats_frontends, &px->node);
	client_conf.proxy = px;
}

/* Before proxies are finished. */
static int finish(struct config *cfg, void *data)
{
	struct client_settings *conf = data;
	int rc;

	on = client_conf.wanted || conf->given;
	client_conf.retries = conf->retries;
	client_conf.connect_ms = conf->connect_ms;
	client_conf.family = conf->prefer ? AF_INET : AF_INET6;
	dns_resolvers = NULL;
	if (!on && !client_conf.plain_wanted)
		return 0;
	dns_wanted = true;
	make_proxy(cfg);
	rc = check_resolvers(cfg, conf);
	return on ? tls_make(cfg, conf) | rc : rc;
}

static void stop(void)
{
	tls_end();
}

bool client_is_on(void)
{
	return on;
}

const struct module client_module = {
	.name = "httpclient", .keywords = keywords, .data_size = sizeof(struct client_settings),
	.init = init, .finish = finish, .stop = stop,
};
