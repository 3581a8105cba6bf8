/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of proxies that say what is logged, and where. Formats are compiled at once, so
 * that a mistake is shown where it stands. The last of "option tcplog", "option httplog" and
 * "log-format" counts, be it inherited or not.
 */
#include "base/arena.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "log/log.h"
#include "proxy/proxy.h"

#include <stddef.h>
#include <string.h>

struct logformat_data {
	struct logformat *tcp, *plain; /* option tcplog; no option at all */
};

static const struct logformat *logformat_plain; /* of the running generation */

const struct logformat *logformat_default(void)
{
	return logformat_plain;
}

/* Only frontends log traffic. True, after a warning: this is a backend. */
static bool logformat_useless(struct statement *st)
{
	if (st->scope & (SCOPE_FRONTEND | SCOPE_DEFAULTS))
		return false;
	stmt_warning(st, 0, "ignored in a backend: the frontend says how traffic is logged");
	return true;
}

/* log-format, log-format-sd and unique-id-format; kw->offset is that of the field. */
static int logformat_parse(struct statement *st, const struct keyword *kw, void *object)
{
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
	format = logformat_compile(text, &ctx, AT_LOG, &err);
	if (!format)
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (kw->offset == offsetof(struct proxy, set.unique_id) && logformat_has(format, "ID"))
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

/* A frontend in mode tcp has no HTTP to log; like the reference it then logs as tcplog does. */
static int logformat_parse_httplog(struct statement *st, const struct keyword *kw, void *object)
{
	stmt_warning(st, 1, "needs mode http, which is not supported yet: logs as 'option tcplog'");
	stmt_take(st, "clf");
	return logformat_parse_tcplog(st, kw, object);
}

static void logformat_init(struct config *cfg, void *module_data)
{
	struct logformat_data *data = module_data;
	struct expr_context ctx = { .cfg = cfg };

	data->tcp = logformat_compile(LOGFORMAT_TCP, &ctx, AT_LOG, NULL);
	data->plain = logformat_compile(LOGFORMAT_DEFAULT, &ctx, AT_LOG, NULL);
}

static int logformat_finish(struct config *cfg, void *module_data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;

	(void)module_data;
	list_for_each(px, &all->list, node)
		if (px->caps & PROXY_FRONTEND && px->set.logformat && 
		    !log_has_targets(px->set.log, cfg))
			config_warning(cfg, &px->loc,
				       "log format of '%s' is not used: it has no 'log' line", px->name);
	return 0;
}

static int logformat_start(struct config *cfg, void *module_data, struct err *err)
{
	const struct logformat_data *data = module_data;

	(void)cfg;
	(void)err;
	logformat_plain = data->plain;
	return 0;
}

static const struct keyword logformat_keywords[] = {
	{ .name = "log",
	  .scope = SCOPE_PROXY,
	  .flags = KW_NO,
	  .args = "global | <address> [len <length>] [format <format>] "
		  "[sample <ranges>:<size>] <facility> [<level> [<minlevel>]]",
	  .parse = log_parse_proxy,
	  .offset = offsetof(struct proxy, set.log),
	  .help = "where lines about traffic (frontend) and servers (backend) go" },
	{ .name = "log-tag",
	  .scope = SCOPE_PROXY,
	  .args = "<string>",
	  .parse = log_parse_proxy_tag,
	  .offset = offsetof(struct proxy, set.log),
	  .dflt = "that of the global section",
	  .help = "the name in front of each log line" },
	{ .name = "log-format",
	  .scope = SCOPE_PROXY,
	  .args = "<string>",
	  .parse = logformat_parse,
	  .offset = offsetof(struct proxy, set.logformat),
	  .help = "what a line about traffic says" },
	{ .name = "log-format-sd",
	  .scope = SCOPE_PROXY,
	  .args = "<string>",
	  .parse = logformat_parse,
	  .offset = offsetof(struct proxy, set.logformat_sd),
	  .help = "structured data of that line for targets of format rfc5424" },
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
	  .help = "mode http, not supported yet: as option tcplog" },
	{ .name = "option httpslog",
	  .scope = SCOPE_PROXY,
	  .parse = logformat_parse_httplog,
	  .help = "mode http, not supported yet: as option tcplog" },
	{ .name = NULL },
};

const struct module logformat_module = {
	.name = "log formats",
	.keywords = logformat_keywords,
	.data_size = sizeof(struct logformat_data),
	.init = logformat_init,
	.finish = logformat_finish,
	.start = logformat_start,
};
