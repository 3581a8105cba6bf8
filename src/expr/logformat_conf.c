/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of proxies that say what is logged, and where. Formats are compiled at once, so
 * that a mistake is shown where it stands. The last of "option tcplog", "option httplog" and
 * "log-format" counts, be it inherited or not.
 */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/datagrams.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/logformat_stock.h"
#include "log/log_conf.h"
#include "log/profile.h"
#include "proxy/proxy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum stock_option { STOCK_TCPLOG, STOCK_HTTPLOG, STOCK_HTTPSLOG, STOCK_OPTIONS };
enum stock_form { STOCK_USUAL, STOCK_CLF, STOCK_JSON, STOCK_FORMS };

/* What the options say; without the fetches of TLS `plain` stands in. */
static const struct {
	const char *option, *variable;
	struct {
		const char *text, *plain; /* NULL: there is none */
	} form[STOCK_FORMS];
} stock[STOCK_OPTIONS] = {
	[STOCK_TCPLOG] = { "option tcplog", "HAPROXY_TCP_LOG_FMT",
			   { { LOGFORMAT_TCP, NULL }, { LOGFORMAT_TCP_CLF, NULL },
			     { LOGFORMAT_TCP_JSON, NULL } } },
	[STOCK_HTTPLOG] = { "option httplog", "HAPROXY_HTTP_LOG_FMT",
			    { { LOGFORMAT_HTTP, NULL }, { LOGFORMAT_CLF, NULL },
			      { LOGFORMAT_HTTP_JSON, NULL } } },
	[STOCK_HTTPSLOG] = { "option httpslog", "HAPROXY_HTTPS_LOG_FMT",
			     { { LOGFORMAT_HTTPS, LOGFORMAT_HTTPS_PLAIN }, { NULL, NULL },
			       { LOGFORMAT_HTTPS_JSON, LOGFORMAT_HTTPS_JSON_PLAIN } } },
};

struct logformat_data {
	struct logformat *stock[STOCK_OPTIONS][STOCK_FORMS];
	struct logformat *plain, *plain_http; /* no option at all */
};

static const struct logformat_data *logformat_running; /* of the running generation */

const struct logformat *logformat_default(const struct proxy *frontend)
{
	if (!logformat_running)
		return NULL;
	return frontend->set.mode == MODE_HTTP ? logformat_running->plain_http
					       : logformat_running->plain;
}

/* Only frontends log traffic. True, after a warning: this is a backend. */
static bool logformat_useless(struct statement *st)
{
	if (st->scope & (SCOPE_FRONTEND | SCOPE_DEFAULTS | SCOPE_UDP))
		return false;
	stmt_warning(st, 0, "ignored in a backend: the frontend says how traffic is logged");
	return true;
}

/* log-format, log-format-sd, error-log-format and unique-id-format; kw->offset is that of the
 * field. A unique id is made while the request is there. */
static int logformat_parse(struct statement *st, const struct keyword *kw, void *object)
{
	bool id = kw->offset == offsetof(struct proxy, set.unique_id);
	struct expr_context ctx = { .cfg = st->cfg, .loc = st->loc, .proxy = object };
	struct logformat **field = (struct logformat **)((char *)object + kw->offset), *format;
	const char *text = stmt_need(st, "format");
	struct err err = { "" };

	if (!text)
		return -1;
	if (!*text)
		return stmt_error(st, st->at - 1, "the format must not be empty");
	if (stmt_peek(st))
		return stmt_error(st, st->at, "the format must be one word: put it into quotes or "
					      "escape its blanks");
	if (logformat_useless(st))
		return 0;
	format = logformat_compile_as(id ? FORMAT_ID : FORMAT_LOG, text, &ctx,
				      id ? AT_REQUEST : AT_LOG, &err);
	if (!format)
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (id && logformat_has(format, "ID"))
		return stmt_error(st, st->at - 1, "%%ID cannot be part of itself");
	*field = format;
	return 0;
}

/* options tcplog, httplog and httpslog; kw->offset is a STOCK_*. Frontends in mode tcp have no HTTP
 * to log: see logformat_finish. */
static int logformat_parse_stock(struct statement *st, const struct keyword *kw, void *object)
{
	const struct logformat_data *data = config_data(st->cfg, &logformat_module);
	struct logformat *const *forms = data->stock[kw->offset];
	enum stock_form form = STOCK_USUAL;
	struct proxy *px = object;

	if (forms[STOCK_CLF] && stmt_take(st, "clf"))
		form = STOCK_CLF;
	else if (stmt_take(st, "json"))
		form = STOCK_JSON;
	else if (stmt_peek(st))
		return stmt_error(st, st->at, "nothing but %s'json' may follow",
				  forms[STOCK_CLF] ? "'clf' or " : "");
	if (!logformat_useless(st))
		px->set.logformat = forms[form];
	return stmt_end(st);
}

static int logformat_parse_steps(struct statement *st, const struct keyword *kw, void *object)
{
	const char *names[LOG_STEPS + 2] = { "all" },
				      *word = stmt_need(st, "steps, parted by commas");
	struct proxy *px = object;
	unsigned steps = 0, n = 1, step;
	char *list, *name, *rest;

	(void)kw;
	if (!word)
		return -1;
	for (step = 0; step < LOG_STEPS; step++)
		if (LOG_STEPS_TRAFFIC & 1u << step)
			names[n++] = log_steps[step].name;
	list = arena_strdup(st->cfg->arena, word);
	for (name = list; name; name = rest) {
		rest = strchr(name, ',');
		if (rest)
			*rest++ = 0;
		step = strcmp(name, "all") ? 1u << log_step_find(name) : LOG_STEPS_TRAFFIC;
		if (!(step & LOG_STEPS_TRAFFIC))
			return stmt_unknown_part(st, st->at - 1, name, "step", names);
		steps |= step;
	}
	if (!logformat_useless(st))
		px->set.log_steps = steps;
	return stmt_end(st);
}

static void logformat_init(struct config *cfg, void *module_data)
{
	struct logformat_data *data = module_data;
	struct expr_context ctx = { .cfg = cfg };
	unsigned option, form;

	for (option = 0; option < STOCK_OPTIONS; option++) {
		setenv(stock[option].variable, stock[option].form[STOCK_USUAL].text, 1);
		for (form = 0; form < STOCK_FORMS; form++) {
			const char *text = stock[option].form[form].text;
			const char *plain = stock[option].form[form].plain;
			struct logformat **field = &data->stock[option][form];

			*field = text ? logformat_compile(text, &ctx, AT_LOG, NULL) : NULL;
			if (!*field && plain) /* a build without the fetches of TLS */
				*field = logformat_compile(plain, &ctx, AT_LOG, NULL);
		}
	}
	data->plain = logformat_compile(LOGFORMAT_DEFAULT, &ctx, AT_LOG, NULL);
	data->plain_http = logformat_compile(LOGFORMAT_DEFAULT_HTTP, &ctx, AT_LOG, NULL);
}

/* In mode tcp options of mode http mean the one of mode tcp. */
static void logformat_as_tcp(struct config *cfg, struct proxy *px,
			     const struct logformat_data *data)
{
	unsigned option, form;

	for (option = STOCK_HTTPLOG; option < STOCK_OPTIONS; option++)
		for (form = 0; form < STOCK_FORMS; form++) {
			if (px->set.logformat != data->stock[option][form] || !px->set.logformat)
				continue;
			config_warning(cfg, &px->loc, "'%s' of '%s' needs mode http: it logs as "
				       "'option tcplog%s' does", stock[option].option, px->name,
				       form == STOCK_JSON ? " json" : "");
			px->set.logformat =
				data->stock[STOCK_TCPLOG][form == STOCK_JSON ? form : 0];
			return;
		}
}

/* A format that speaks of HTTP in a frontend of mode tcp. */
static int logformat_check_tcp(struct config *cfg, const struct proxy *px,
			       const struct logformat *format)
{
	const char *alias = format ? logformat_http_alias(format) : NULL;

	if (format && proxy_is_udp(px)) {
		alias = logformat_not_of_datagrams(format);
		return !alias ? 0
			      : config_error(cfg, logformat_location(format),
					     "'%%%s' says nothing of "
					     "datagrams: '%s' is an udp-lb section",
					     alias, px->name);
	}
	if (!alias || px->set.mode == MODE_HTTP)
		return 0;
	return config_error(cfg, logformat_location(format), "'%%%s' is for mode http alone: "
			    "frontend '%s' is in mode tcp", alias, px->name);
}

/* -- when lines are written, and in which forms ----------------------------------------- */

/* Besides that at the end, which comes where none was written before. */
static unsigned logformat_before_end(const struct proxy *px)
{
	const struct logformat *format = px->set.logformat;
	bool http = px->set.mode == MODE_HTTP, asap = px->set.options.on & OPT_LOGASAP;

	if (!format && !px->log_profiles) /* it says nothing of what follows */
		return 1u << (http ? LOG_STEP_REQUEST : LOG_STEP_ACCEPT);
	if (asap)
		return 1u << (http ? LOG_STEP_RESPONSE : LOG_STEP_CONNECT) |
		       (format && logformat_early(format, http) && !px->log_profiles ?
				1u << LOG_STEP_CONNECT : 0);
	if (!px->log_profiles && logformat_early(format, http))
		return 1u << LOG_STEP_CONNECT;
	return 0;
}

/* Appends the profile, or NULL for none, of each target. */
static unsigned profiles_of(const struct log_conf *conf, const struct log_conf *global,
			    const struct log_profile **profiles, unsigned n, bool *some)
{
	const struct log_profile *profile;
	unsigned i, k;

	for (i = 0; conf && i < conf->count; i++) {
		const struct log_target *t = conf->targets[i];

		if (t->kind == LOG_TO_GLOBAL) {
			n = profiles_of(global, NULL, profiles, n, some);
			continue;
		}
		profile = t->profile ? t->profile->profile : NULL;
		*some |= profile != NULL;
		for (k = 0; k < n && profiles[k] != profile; k++)
			;
		profiles[k] = profile;
		n = k == n ? n + 1 : n;
	}
	return n;
}

static void logformat_find_profiles(struct config *cfg, struct proxy *px)
{
	const struct log_data *data = config_data(cfg, &log_module);
	unsigned most = (px->set.log ? px->set.log->count : 0) + data->global->count + 1;
	const struct log_profile **profiles = arena_alloc(cfg->arena, most * sizeof(*profiles));
	bool some = false;

	px->log_profile_count = profiles_of(px->set.log, data->global, profiles, 0, &some);
	px->log_profiles = some ? profiles : NULL;
}

static int logformat_check(struct config *cfg, struct proxy *px, const struct logformat *format)
{
	if (format && logformat_needs_uri(format))
		px->keeps_uri = true;
	return logformat_check_tcp(cfg, px, format);
}

static int logformat_check_profile(struct config *cfg, struct proxy *px,
				   const struct log_profile *profile)
{
	const struct log_form *form;
	enum log_step step;
	int bad = 0;

	if (proxy_is_udp(px)) { /* its lines have one step; others may be for those who share the profile */
		form = log_profile_form(profile, LOG_STEP_CLOSE);
		return form ? logformat_check(cfg, px, form->format) |
			      logformat_check(cfg, px, form->sd) : 0;
	}
	for (step = 0; step < LOG_STEPS; step++) {
		bad |= logformat_check(cfg, px, profile->form[step].format);
		bad |= logformat_check(cfg, px, profile->form[step].sd);
	}
	bad |= logformat_check(cfg, px, profile->any.format);
	return bad | logformat_check(cfg, px, profile->any.sd);
}

/* A do-log may name any of them. */
static void logformat_check_uses(struct config *cfg, struct proxy *px)
{
	const struct log_data *data = config_data(cfg, &log_module);
	const struct log_profile_use *use;

	if (px->set.mode == MODE_HTTP)
		list_for_each(use, &data->profile_uses, node)
			if (use->profile)
				logformat_check_profile(cfg, px, use->profile);
}

static int logformat_finish_proxy(struct config *cfg, struct proxy *px,
				  const struct logformat_data *data)
{
	const struct logformat *formats[4];
	size_t i;
	int bad = 0;

	if (px->set.mode != MODE_HTTP)
		logformat_as_tcp(cfg, px, data);
	formats[0] = px->set.logformat;
	formats[1] = px->set.logformat_sd;
	formats[2] = px->set.logformat_error;
	formats[3] = px->set.unique_id;

	for (i = 0; i < ARRAY_LEN(formats); i++)
		bad |= logformat_check(cfg, px, formats[i]);
	logformat_find_profiles(cfg, px);
	for (i = 0; px->log_profiles && i < px->log_profile_count; i++)
		if (px->log_profiles[i])
			bad |= logformat_check_profile(cfg, px, px->log_profiles[i]);
	logformat_check_uses(cfg, px);
	px->log_at = px->set.log_steps ? px->set.log_steps :
					 logformat_before_end(px) | 1u << LOG_STEP_CLOSE;
	return bad;
}

static int logformat_finish(struct config *cfg, void *module_data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	int bad = 0;

	for (unsigned option = 0; option < STOCK_OPTIONS; option++)
		unsetenv(stock[option].variable); /* they are for lines, not for programs that are run */
	list_for_each(px, &all->list, node) {
		if (!(px->caps & PROXY_FRONTEND))
			continue;
		if (px->set.logformat && !log_has_targets(px->set.log, cfg))
			config_warning(cfg, &px->loc,
				       "log format of '%s' is not used: it has no 'log' line", px->name);
		bad |= logformat_finish_proxy(cfg, px, module_data);
	}
	return bad;
}

static int logformat_prepare(struct config *cfg, void *module_data, struct err *err)
{
	(void)cfg;
	(void)err;
	logformat_running = module_data;
	return 0;
}

static const struct keyword logformat_keywords[] = {
	{ .name = "log",
	  .scope = SCOPE_PROXY | SCOPE_UDP,
	  .flags = KW_NO,
	  .args = "global | <address> [len <length>] [format <format>] "
		  "[sample <ranges>:<size>] [profile <name>] <facility> [<level> [<minlevel>]]",
	  .parse = log_parse_proxy,
	  .offset = offsetof(struct proxy, set.log),
	  .help = "where lines about traffic (frontend) and servers (backend) go" },
	{ .name = "log-tag",
	  .scope = SCOPE_PROXY | SCOPE_UDP,
	  .args = "<string>",
	  .parse = log_parse_proxy_tag,
	  .offset = offsetof(struct proxy, set.log),
	  .dflt = "that of the global section",
	  .help = "the name in front of each log line" },
	{ .name = "log-format",
	  .scope = SCOPE_PROXY | SCOPE_UDP,
	  .args = "<string>",
	  .parse = logformat_parse,
	  .offset = offsetof(struct proxy, set.logformat),
	  .help = "what a line about traffic says" },
	{ .name = "log-steps",
	  .scope = SCOPE_FRONT,
	  .args = "{ all | <step>[,...] }",
	  .parse = logformat_parse_steps,
	  .dflt = "one line, once all is known",
	  .help = "lines at accept, request, connect, response, close" },
	{ .name = "log-format-sd",
	  .scope = SCOPE_PROXY | SCOPE_UDP,
	  .args = "<string>",
	  .parse = logformat_parse,
	  .offset = offsetof(struct proxy, set.logformat_sd),
	  .help = "structured data of that line for targets of format rfc5424" },
	{ .name = "error-log-format",
	  .scope = SCOPE_PROXY,
	  .args = "<string>",
	  .parse = logformat_parse,
	  .offset = offsetof(struct proxy, set.logformat_error),
	  .dflt = "a line as in manual 8.2.5",
	  .help = "what a line about a connection that failed before its stream says" },
	{ .name = "unique-id-format",
	  .scope = SCOPE_PROXY,
	  .args = "<string>",
	  .parse = logformat_parse,
	  .offset = offsetof(struct proxy, set.unique_id),
	  .help = "what %ID in a log format stands for" },
	{ .name = "option tcplog",
	  .scope = SCOPE_PROXY,
	  .args = "[clf | json]",
	  .parse = logformat_parse_stock,
	  .offset = STOCK_TCPLOG,
	  .help = "log addresses, times, bytes, termination state and queues of each stream" },
	{ .name = "option httplog",
	  .scope = SCOPE_PROXY,
	  .args = "[clf | json]",
	  .parse = logformat_parse_stock,
	  .offset = STOCK_HTTPLOG,
	  .help = "log requests: times, status, cookies, captures, the request line" },
	{ .name = "option httpslog",
	  .scope = SCOPE_PROXY,
	  .args = "[json]",
	  .parse = logformat_parse_stock,
	  .offset = STOCK_HTTPSLOG,
	  .help = "as option httplog, with errors, name, version and cipher of TLS" },
	{ .name = NULL },
};

const struct module logformat_module = {
	.name = "log formats",
	.keywords = logformat_keywords,
	.data_size = sizeof(struct logformat_data),
	.init = logformat_init,
	.finish = logformat_finish,
	.prepare = logformat_prepare,
};
