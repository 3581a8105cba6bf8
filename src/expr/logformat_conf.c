/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of proxies that say what is logged, and where. Formats are compiled at once, so
 * that a mistake is shown where it stands. The last of "option tcplog", "option httplog" and
 * "log-format" counts, be it inherited or not.
 */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/logformat_stock.h"
#include "log/log.h"
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

/* options tcplog, httplog and httpslog; kw->offset is a STOCK_*. Frontends in mode tcp have no HTTP to
 * log: see logformat_finish. */
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

/* A format that speaks of HTTP in a frontend of mode tcp. */
static int logformat_check_tcp(struct config *cfg, const struct proxy *px,
			       const struct logformat *format)
{
	const char *alias = format ? logformat_http_alias(format) : NULL;

	if (!alias || px->set.mode == MODE_HTTP)
		return 0;
	return config_error(cfg, logformat_location(format), "'%%%s' is for mode http alone: "
			    "frontend '%s' is in mode tcp", alias, px->name);
}

/* In mode tcp options of mode http mean the one of mode tcp. */
static void logformat_as_tcp(struct config *cfg, struct proxy *px, const struct logformat_data *data)
{
	unsigned option, form;

	for (option = STOCK_HTTPLOG; option < STOCK_OPTIONS; option++)
		for (form = 0; form < STOCK_FORMS; form++) {
			if (px->set.logformat != data->stock[option][form] || !px->set.logformat)
				continue;
			config_warning(cfg, &px->loc, "'%s' of '%s' needs mode http: it logs as "
				       "'option tcplog%s' does", stock[option].option, px->name,
				       form == STOCK_JSON ? " json" : "");
			px->set.logformat = data->stock[STOCK_TCPLOG][form == STOCK_JSON ? form : 0];
			return;
		}
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

	for (i = 0; i < ARRAY_LEN(formats); i++) {
		bad |= logformat_check_tcp(cfg, px, formats[i]);
		if (formats[i] && logformat_needs_uri(formats[i]))
			px->keeps_uri = true;
	}
	return bad;
}

static int logformat_finish(struct config *cfg, void *module_data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	int bad = 0;

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
		  "[sample <ranges>:<size>] <facility> [<level> [<minlevel>]]",
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
