/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Composes a line for each target and sends it. Called by everything that logs. Nothing here
 * waits or allocates: a line that cannot be sent at once is dropped, counted, and mentioned
 * at most once a second.
 */
#include "log/log.h"

#include "base/clock.h"
#include "event/change.h"
#include "event/timer.h"
#include "log/log_data.h"
#include "log/profile.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_HEADER_SIZE = 1024, LOG_REPORT_MS = 1000 };

/* One line on its way to several targets. */
struct log_line {
	enum log_level level;
	const struct log_message *message; /* NULL: the writer composes it */
	struct log_writer *writer;
	const char *tag;
	struct timeval now;
};

const struct log_data *log_running;
struct log_stats log_stats;
bool log_to_stderr = true;
void (*log_heard)(enum log_level level, const char *msg, size_t len);

static unsigned log_pid;
static size_t log_longest = LOG_LEN_DEFAULT;
static struct timer log_report_timer; /* lines were dropped and not mentioned yet */
static uint64_t log_reported_ms;      /* when it was mentioned last; 0: never */
static bool log_reporting;            /* the mention itself is on its way */

static void log_read_pid(void)
{
	log_pid = (unsigned)getpid();
}

static void log_know_pid(void)
{
	if (!log_pid)
		pthread_atfork(NULL, NULL, log_read_pid);
	log_read_pid();
}

unsigned log_own_pid(void)
{
	if (unlikely(!log_pid))
		log_know_pid();
	return log_pid;
}

/* Which targets lost lines since the last report, and why. */
static void log_report_drops(void)
{
	struct log_target *t;

	log_reported_ms = clock_now_ms;
	log_reporting = true;
	list_for_each(t, &log_running->targets, node) {
		if (t->dropped == t->reported)
			continue;
		log_process(LOG_L_WARNING, "log %s: %llu lines dropped: %s", t->name,
			    (unsigned long long)(t->dropped - t->reported), strerror(t->error));
		t->reported = t->dropped;
	}
	log_reporting = false;
}

static void log_report_fire(struct timer *timer)
{
	(void)timer;
	if (log_running)
		log_report_drops();
}

static void log_line_dropped(struct log_target *t)
{
	log_stats.dropped++;
	if (log_reporting) {
		t->reported++; /* the report is lost to this target, no reason for another */
		return;
	}
	if (timer_armed(&log_report_timer))
		return;
	if (!log_reported_ms || clock_now_ms - log_reported_ms >= LOG_REPORT_MS)
		log_report_drops();
	else
		timer_set(&log_report_timer, log_reported_ms + LOG_REPORT_MS);
}

static size_t log_cut(struct iovec *piece, size_t room)
{
	if (piece->iov_len > room)
		piece->iov_len = room;
	return room - piece->iov_len;
}

/* The message in the room that is left, in one piece; an object that is too long in two. */
static int log_pieces(struct iovec *iov, const struct log_message *message, size_t room)
{
	struct span msg = message->msg, closing;

	*iov = (struct iovec){ (void *)msg.ptr, msg.len };
	if (likely(msg.len <= room))
		return 1;
	iov->iov_len = encoded_cut(message->encoding, msg, room, &closing);
	iov[1] = (struct iovec){ (void *)closing.ptr, closing.len };
	return 1 + (closing.len > 0);
}

static void log_to_target(struct log_target *t, const struct log_line *line)
{
	static const char nil[] = "-", blank[] = " ", end[] = "\n";
	struct span sd = line->message->sd;
	char memory[LOG_HEADER_SIZE];
	struct iovec iov[6];
	struct text text;
	size_t room = t->max_len - (t->kind == LOG_TO_FD); /* there the line feed counts, too */
	int n = 0;

	text_init(&text, memory, room < sizeof(memory) ? room + 1 : sizeof(memory));
	log_header_write(&text, &(struct log_header){
		.format = t->format, .facility = t->facility, .now = line->now,
		.level = line->level < t->min_level ? t->min_level : line->level,
		.hostname = log_running->hostname, .tag = line->tag, .pid = log_pid });
	iov[n++] = (struct iovec){ memory, text.len };
	room -= text.len;
	if (t->format == LOG_FMT_RFC5424) {
		/* structured data are whole or missing: a part of them has no meaning */
		iov[n] = sd.len && sd.len < room ? (struct iovec){ (void *)sd.ptr, sd.len } :
						   (struct iovec){ (void *)nil, 1 };
		room = log_cut(&iov[n++], room);
		iov[n] = (struct iovec){ (void *)blank, 1 };
		room = log_cut(&iov[n++], room);
	}
	n += log_pieces(iov + n, line->message, room);
	iov[n++] = (struct iovec){ (void *)end, 1 };
	if (log_target_write(t, iov, n))
		log_stats.sent++;
	else
		log_line_dropped(t);
}

/* The line as the target wants it. False: its profile drops it. */
static bool log_composed(struct log_target *t, const struct log_line *line)
{
	const struct log_profile *profile = line->writer->profile;
	const struct log_form *form;
	struct log_line own = *line;

	if (!profile && t->profile)
		profile = t->profile->profile;
	form = log_profile_form(profile, line->writer->step);
	if (form && form->drop)
		return false;
	if (line->level > t->max_level || !log_sample_take(&t->sample))
		return true;
	own.message = line->writer->compose(line->writer, form);
	if (profile && profile->tag)
		own.tag = profile->tag;
	if (own.message)
		log_to_target(t, &own);
	return true;
}

/* False: nobody wants it. */
static bool log_to_conf(const struct log_conf *conf, const struct log_line *line)
{
	bool wanted = false;
	unsigned i;

	for (i = 0; i < conf->count; i++) {
		struct log_target *t = conf->targets[i];

		if (t->kind == LOG_TO_GLOBAL)
			wanted |= log_to_conf(log_running->global, line);
		else if (!line->message)
			wanted |= log_composed(t, line);
		else if (line->level <= t->max_level && log_sample_take(&t->sample))
			log_to_target(t, line);
	}
	return wanted;
}

bool log_write(const struct log_conf *conf, enum log_level level, struct log_writer *writer)
{
	struct log_line line = { .level = level, .writer = writer };

	if (!log_enabled(conf))
		return false;
	line.now = clock_wall();
	line.tag = conf->tag ? conf->tag : log_running->global->tag;
	return log_to_conf(conf, &line);
}

void log_send_message(const struct log_conf *conf, enum log_level level,
		      const struct log_message *message)
{
	struct log_line line = { .level = level, .message = message };

	if (!log_enabled(conf))
		return;
	line.now = clock_wall();
	line.tag = conf->tag ? conf->tag : log_running->global->tag;
	log_to_conf(conf, &line);
}

void log_send(const struct log_conf *conf, enum log_level level, const char *msg, size_t len)
{
	const struct log_message message = { .msg = { msg, len } };

	log_send_message(conf, level, &message);
}

/* Is stderr the journal (systemd.exec(5), $JOURNAL_STREAM)? */
static bool log_stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == device && st.st_ino == inode;
}

/* Lines that whoever started the process sees already: on stdout or stderr, or in the journal when
 * stderr leads there. What they say is not shown on stderr once more. */
static uint64_t log_shown(const struct log_conf *conf)
{
	bool journal = log_stderr_is_journal();
	const struct log_target *t;
	uint64_t sent = 0;

	for (unsigned i = 0; conf && i < conf->count; i++) {
		t = conf->targets[i];
		if (t->kind == LOG_TO_GLOBAL)
			sent += log_shown(log_global());
		else if (log_target_is_standard(t) || (t->journal && journal))
			sent += t->sent;
	}
	return sent;
}

bool log_printf(const struct log_conf *conf, enum log_level level, const char *fmt, ...)
{
	char memory[LOG_LEN_DEFAULT * 2];
	struct text text;
	uint64_t before;
	va_list ap;

	if (!change_first || !log_enabled(conf))
		return false;
	text_init(&text, memory, sizeof(memory));
	va_start(ap, fmt);
	text_vprintf(&text, fmt, ap);
	va_end(ap);
	before = log_shown(conf);
	log_send(conf, level, text.ptr, text.len);
	return log_shown(conf) != before;
}

void log_sink_write(struct log_target *sink, struct span msg)
{
	const struct log_message message = { .msg = msg };
	struct log_line line = { .level = LOG_L_EMERG, .message = &message };

	if (!log_running)
		return;
	line.now = clock_wall();
	line.tag = log_running->global->tag;
	log_to_target(sink, &line);
}

bool log_enabled(const struct log_conf *conf)
{
	unsigned i;

	if (!conf || !log_running)
		return false;
	for (i = 0; i < conf->count; i++)
		if (conf->targets[i]->kind != LOG_TO_GLOBAL || log_running->global->count)
			return true;
	return false;
}

const struct log_conf *log_global(void)
{
	return log_running ? log_running->global : NULL;
}

size_t log_max_len(void)
{
	return log_longest;
}

static const char *log_mark(enum log_level level)
{
	if (level <= LOG_L_ERR)
		return "[ALERT]   ";
	return level == LOG_L_WARNING ? "[WARNING] " : "[NOTICE]  ";
}

/* stderr may be a pipe that nobody reads: what it does not take now is not worth waiting. */
static void log_stderr_text(const char *mark, const char *msg, size_t len)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	char memory[LOG_LEN_DEFAULT * 2];
	struct text text;

	if (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLOUT))
		return;
	text_init(&text, memory, sizeof(memory) - 1);
	text_printf(&text, "%s (%u) : ", mark, (unsigned)getpid());
	text_add(&text, msg, len);
	memory[text.len] = '\n';
	if (write(STDERR_FILENO, memory, text.len + 1) < 0)
		return; /* there is no other place to tell */
}

/* Formats the message and shows it to whoever started the process; `sent`: to the logs too. */
static void log_told(enum log_level level, const char *fmt, va_list ap, bool sent)
{
	char memory[LOG_LEN_DEFAULT];
	struct text text;
	uint64_t before;

	if (!change_first)
		return;
	text_init(&text, memory, sizeof(memory));
	text_vprintf(&text, fmt, ap);
	if (log_heard)
		log_heard(level, text.ptr, text.len);
	before = log_shown(log_global());
	if (sent)
		log_send(log_global(), level, text.ptr, text.len);
	if (log_to_stderr && log_shown(log_global()) == before)
		log_stderr_text(log_mark(level), text.ptr, text.len);
}

void log_stderr(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_told(level, fmt, ap, false);
	va_end(ap);
}

void log_stderr_own(enum log_level level, const char *msg, size_t len)
{
	char mark[16];

	snprintf(mark, sizeof(mark), "[%s]", log_level_names[level]);
	if (log_to_stderr)
		log_stderr_text(mark, msg, len < LOG_LEN_DEFAULT ? len : LOG_LEN_DEFAULT);
}

void log_process(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_told(level, fmt, ap, true);
	va_end(ap);
}

const char *log_on_terminal(void)
{
	struct log_target *t;

	if (log_running)
		list_for_each(t, &log_running->targets, node)
			if (log_target_is_standard(t))
				return t->name;
	return NULL;
}

void log_leave_terminal(void)
{
	struct log_target *t;

	if (log_running)
		list_for_each(t, &log_running->targets, node)
			if (log_target_is_standard(t))
				log_target_plain(t);
}

void log_leave_root(void)
{
	struct log_target *t;

	if (log_running)
		list_for_each(t, &log_running->targets, node)
			log_target_keep(t);
}

void log_set_running(const struct log_data *data)
{
	const struct log_target *t;

	if (!data) {
		log_running = NULL;
		timer_cancel(&log_report_timer);
		return;
	}
	log_know_pid();
	timer_init(&log_report_timer, log_report_fire);
	list_for_each(t, &data->targets, node)
		if (t->max_len > log_longest)
			log_longest = t->max_len;
	log_running = data;
}
