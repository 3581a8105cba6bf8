/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line that a stream leaves in the log: when it is written, whether, at which level and in
 * which format. The frontend alone decides (manual 4.2, "log"): what a
 * backend says of logging concerns its servers.
 */
#include "stream/accesslog.h"

#include "expr/logformat.h"
#include "expr/view.h"
#include "log/log.h"
#include "log/target.h"
#include "proxy/proxy.h"
#include "stream/stream.h"
#include "stream/watched.h"

bool accesslog_at_accept(const struct proxy *frontend)
{
	return !frontend->set.logformat && frontend->set.mode != MODE_HTTP;
}

bool accesslog_at_connect(const struct proxy *frontend)
{
	const struct logformat *format = frontend->set.logformat;

	bool http = frontend->set.mode == MODE_HTTP;

	return format && ((!http && frontend->set.options.on & OPT_LOGASAP) ||
			  logformat_early(format, http));
}

/* The format of a connection that brought no request (error-log-format); NULL: it brought one, or
 * no such format is set. */
static const struct logformat *accesslog_error_format(const struct view *view)
{
	return view->http && !view->http->method.ptr ? view->frontend->set.logformat_error : NULL;
}

static bool accesslog_wanted(const struct view *view)
{
	const struct options *options = &view->frontend->set.options;
	const struct view_log *log = view->log;

	/* Without a format nothing has happened yet that could be normal or null. */
	if (!view->frontend->set.logformat && !accesslog_error_format(view))
		return !view->http || view->http->method.ptr;
	if (options->on & OPT_DONTLOG_NORMAL && !view_notable(view, view->log))
		return false;
	return log->early || log->bytes_in || !(options->on & OPT_DONTLOGNULL);
}

static bool accesslog_watched(const struct stream *s)
{
	return s->in_steps & STEPS_WATCHED;
}

/* By the frontend's log-format, option tcplog or the default, unless dontlognull, dontlog-normal or
 * an absent target say otherwise. */
static void accesslog_write(const struct view *view)
{
	static char line_memory[LOG_LEN_MAX + 1], sd_memory[LOG_LEN_MAX + 1];
	const struct proxy *fe = view->frontend;
	const struct logformat *format = accesslog_error_format(view);
	enum log_level level = LOG_L_INFO;
	struct text line, sd;

	if (!format)
		format = fe->set.logformat;
	if (!accesslog_wanted(view))
		return;
	if (fe->set.options.on & OPT_LOG_SEPARATE_ERRORS && view_notable(view, view->log))
		level = LOG_L_ERR;
	if (view->log->level)
		level = (enum log_level)(view->log->level - 1);
	if (!format)
		format = logformat_default(fe);
	/* An object is cut for each target by itself. */
	text_init(&line, line_memory,
		  logformat_encoding(format) ? sizeof(line_memory) : log_max_len());
	logformat_write(format, view, &line);
	if (!line.len)
		return;
	text_init(&sd, sd_memory, log_max_len());
	if (fe->set.logformat_sd && format != logformat_default(fe))
		logformat_write(fe->set.logformat_sd, view, &sd);
	if (unlikely(accesslog_watched(view->stream)))
		stream_watcher->log(view->stream, (struct span){ line.ptr, line.len });
	while (sd.len && sd.ptr[sd.len - 1] == ' ')
		sd.len--; /* one blank parts it from the text */
	fe->fe->log_lines++;
	log_send_message(fe->set.log, level,
			 &(struct log_message){ .msg = { line.ptr, line.len },
						.sd = { sd.ptr, sd.len },
						.encoding = logformat_encoding(format) });
}

void stream_log(struct stream *s)
{
	struct view_log log;
	struct view view;

	if (s->logged || s->log_level == LOG_LEVEL_SILENT ||
	    (!log_enabled(s->origin->frontend->set.log) && likely(!accesslog_watched(s))))
		return;
	s->logged = true;
	stream_view(s, &view, &log);
	accesslog_write(&view);
}
