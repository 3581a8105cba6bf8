/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line that a stream leaves in the log: when it is written, whether, at which level and in
 * which format. The frontend alone decides (manual 4.2, "log"): what a
 * backend says of logging concerns its servers.
 */
#include "stream/accesslog.h"

#include "expr/logformat.h"
#include "expr/logline.h"
#include "expr/view.h"
#include "log/log.h"
#include "log/log_data.h"
#include "proxy/proxy.h"
#include "stream/subscriber.h"
#include "stream/view.h"
#include "stream/watched.h"

#include <string.h>

/* Nothing came that is a request. What was none in HTTP/2 has no exchange. */
static bool no_request(const struct view *view)
{
	return view->http ? !view->http->method.ptr :
			    view->log && view->log->step == log_steps[LOG_STEP_ERROR].origin;
}

/* The format of a connection that brought no request (error-log-format); NULL: it brought one, or
 * no such format is set. */
static const struct logformat *error_format(const struct view *view)
{
	return no_request(view) ? view->frontend->set.logformat_error : NULL;
}

/* It brought no request, and some target has lines of its own for that. */
static bool error_profiled(const struct view *view)
{
	const struct proxy *fe = view->frontend;
	unsigned i;

	if (!view->http || view->http->method.ptr || !fe->log_profiles)
		return false;
	for (i = 0; i < fe->log_profile_count; i++)
		if (fe->log_profiles[i] && fe->log_profiles[i]->form[LOG_STEP_ERROR].set)
			return true;
	return false;
}

static bool wanted(const struct view *view, enum log_step step)
{
	const struct options *options = &view->frontend->set.options;
	const struct view_log *log = view->log;

	/* Without a format nothing has happened yet that could be normal or null. */
	if (!view->frontend->set.logformat && !view->frontend->log_profiles && !error_format(view))
		return step == LOG_STEP_ACCEPT || !view->http || view->http->method.ptr;
	if (options->on & OPT_DONTLOG_NORMAL && !view_notable(view, log))
		return false;
	return log->early || log->bytes_in || !(options->on & OPT_DONTLOGNULL);
}

static bool watched(const struct stream *s)
{
	return s && s->in_steps & STEPS_WATCHED;
}

static void tell(void *stream, struct span line)
{
	stream_watcher->log(stream, line);
}

/* By the frontend's log-format, an option or the default, or what profiles of targets say. */
static void write_line(const struct view *view, enum log_step step,
		       const struct log_profile *profile)
{
	const struct proxy *fe = view->frontend;
	const struct logformat *format = step == LOG_STEP_ERROR ? error_format(view) : NULL;
	struct logline line = {
		.step = step, .level = LOG_L_INFO, .profile = profile, .view = view
	};

	if (!format)
		format = fe->set.logformat;
	if (format)
		line.sd = fe->set.logformat_sd;
	else
		format = logformat_default(fe);
	line.format = format;
	if (fe->set.options.on & OPT_LOG_SEPARATE_ERRORS && view_notable(view, view->log))
		line.level = LOG_L_ERR;
	if (view->log->level)
		line.level = (enum log_level)(view->log->level - 1);
	if (unlikely(watched(view->stream)))
		logline_show(&line, fe, tell, view->stream);
	fe->fe->log_lines += logline_send(&line, fe);
}

static bool somebody(const struct proxy *frontend, const struct stream *s)
{
	return log_enabled(frontend->set.log) || unlikely(watched(s));
}

static void accesslog_step(struct stream *s, enum log_step step)
{
	struct view_log log;
	struct view view;

	if (s->logged || s->log_level == LOG_LEVEL_SILENT || !somebody(s->origin->frontend, s))
		return;
	s->logged = !s->origin->frontend->set.log_steps;
	stream_view(s, &view, &log);
	if (!wanted(&view, step))
		return;
	if (step == LOG_STEP_CLOSE && (error_format(&view) || error_profiled(&view)))
		step = LOG_STEP_ERROR;
	log.step = log_steps[step].origin;
	write_line(&view, step, NULL);
}

void accesslog_now(struct view *view, enum log_step step, const struct log_profile *profile)
{
	struct stream *s = view->stream;
	struct view now = *view;
	struct view_log log;

	if ((s && s->log_level == LOG_LEVEL_SILENT) || !somebody(view->frontend, s) ||
	    !view_numbers(view, &log))
		return;
	if (view->log)
		log = *view->log;
	log.step = log_steps[step].origin;
	now.log = &log;
	write_line(&now, step, profile);
}

/* A line as that of a stream, whose bytes were none: with option dontlognull, too. */
void accesslog_no_request(struct origin *origin, struct link client)
{
	const struct proxy *fe = origin->frontend;
	struct view_log log;
	struct view view;

	if (!somebody(fe, NULL) ||
	    (fe->set.log_steps && !(fe->set.log_steps & 1u << LOG_STEP_CLOSE)) ||
	    (!fe->set.logformat && !fe->set.logformat_error && !fe->log_profiles))
		return;
	view_of_origin(origin, client, &view);
	view.find_log(&view, &log);
	memcpy(log.termination, "PR", sizeof(log.termination)); /* END_BAD_REQUEST, its head */
	log.reason = reason_text(END_BAD_REQUEST);
	log.failed = true;
	log.handshake_ms = origin->handshake_ms;
	log.step = log_steps[LOG_STEP_ERROR].origin;
	view.log = &log;
	write_line(&view, LOG_STEP_ERROR, NULL);
}

/* ---- moments -------------------------------------------------------------------------------- */

static const uint8_t step_at[MOMENTS] = {
	[MOMENT_BEGUN] = LOG_STEP_ACCEPT,
	[MOMENT_REQUEST] = LOG_STEP_REQUEST,
	[MOMENT_SENT] = LOG_STEP_CONNECT,
	[MOMENT_ANSWERED] = LOG_STEP_RESPONSE,
	[MOMENT_ENDED] = LOG_STEP_CLOSE,
};

/* A backend that comes later is no frontend. */
static unsigned accesslog_wants(const struct config *cfg, const struct proxy *px, bool is_backend)
{
	unsigned moments = 0, i;

	if (is_backend || !(px->caps & PROXY_FRONTEND) || !log_has_targets(px->set.log, cfg))
		return 0;
	for (i = 0; i < MOMENTS; i++)
		if (step_at[i] && px->log_at & 1u << step_at[i])
			moments |= 1u << i;
	return moments;
}

/* Bytes are no request; those that turn out to be one were accepted before. */
static bool accesslog_due(const struct stream *s, enum moment moment)
{
	const struct proxy *fe = s->origin->frontend;

	if (!(fe->log_at & 1u << step_at[moment]))
		return false;
	if (moment == MOMENT_REQUEST)
		return s->exchange;
	return moment != MOMENT_BEGUN || !s->exchange || fe->set.mode == MODE_HTTP;
}

static enum moment_said accesslog_hear(struct stream *s, enum moment moment)
{
	if (accesslog_due(s, moment))
		accesslog_step(s, step_at[moment]);
	return SAID_GOES_ON;
}

const struct subscriber accesslog_subscriber = {
	.name = "log",
	.moments = AT_MOMENT(BEGUN) | AT_MOMENT(REQUEST) | AT_MOMENT(SENT) | AT_MOMENT(ANSWERED) |
		   AT_MOMENT(ENDED),
	.wants = accesslog_wants,
	.hear = accesslog_hear,
};
