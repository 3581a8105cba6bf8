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
#include "log/log.h"
#include "proxy/proxy.h"

#include <stddef.h>
#include <string.h>

struct logformat_data {
	struct logformat *tcp, *http, *clf, *https; /* options tcplog, httplog, httpslog */
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

static int logformat_parse_tcplog(struct statement *st, const struct keyword *kw, void *object)
{
	const struct logformat_data *data = config_data(st->cfg, &logformat_module);
	struct proxy *px = object;

	(void)kw;
	if (!logformat_useless(st))
		px->set.logformat = data->tcp;
	return stmt_end(st);
}

/* Frontends in mode tcp have no HTTP to log: see logformat_finish. */
static int logformat_parse_httplog(struct statement *st, const struct keyword *kw, void *object)
{
	const struct logformat_data *data = config_data(st->cfg, &logformat_module);
	struct proxy *px = object;
	bool clf = stmt_take(st, "clf");

	(void)kw;
	if (!logformat_useless(st))
		px->set.logformat = clf ? data->clf : data->http;
	if (stmt_peek(st) && !clf)
		return stmt_error(st, st->at, "nothing but 'clf' may follow");
	return stmt_end(st);
}

static int logformat_parse_httpslog(struct statement *st, const struct keyword *kw, void *object)
{
	const struct logformat_data *data = config_data(st->cfg, &logformat_module);
	struct proxy *px = object;

	(void)kw;
	if (!logformat_useless(st))
		px->set.logformat = data->https;
	return stmt_end(st);
}

static void logformat_init(struct config *cfg, void *module_data)
{
	struct logformat_data *data = module_data;
	struct expr_context ctx = { .cfg = cfg };

	data->tcp = logformat_compile(LOGFORMAT_TCP, &ctx, AT_LOG, NULL);
	data->http = logformat_compile(LOGFORMAT_HTTP, &ctx, AT_LOG, NULL);
	data->clf = logformat_compile(LOGFORMAT_CLF, &ctx, AT_LOG, NULL);
	data->https = logformat_compile(LOGFORMAT_HTTPS, &ctx, AT_LOG, NULL);
	if (!data->https) /* a build without the fetches of TLS */
		data->https = logformat_compile(LOGFORMAT_HTTPS_PLAIN, &ctx, AT_LOG, NULL);
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

static int logformat_finish_proxy(struct config *cfg, struct proxy *px,
				  const struct logformat_data *data)
{
	const struct logformat *const formats[] = { px->set.logformat, px->set.logformat_sd,
						    px->set.logformat_error,
						    px->set.unique_id };
	size_t i;
	int bad = 0;

	if (px->set.mode != MODE_HTTP &&
	    (px->set.logformat == data->http || px->set.logformat == data->clf ||
	     px->set.logformat == data->https)) {
		config_warning(cfg, &px->loc, "'option http%slog' of '%s' needs mode http: it logs as "
			       "'option tcplog' does", px->set.logformat == data->https ? "s" : "",
			       px->name);
		px->set.logformat = data->tcp;
		return 0;
	}
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
	  .parse = logformat_parse_tcplog,
	  .help = "log addresses, times, bytes, termination state and queues of each stream" },
	{ .name = "option httplog",
	  .scope = SCOPE_PROXY,
	  .args = "[clf]",
	  .parse = logformat_parse_httplog,
	  .help = "log requests: times, status, cookies, captures, the request line" },
	{ .name = "option httpslog",
	  .scope = SCOPE_PROXY,
	  .parse = logformat_parse_httpslog,
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
