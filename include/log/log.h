/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines go out here, at once, and never wait: what cannot be sent is counted. Everybody
 * above may log; what below reports problems returns them. Manual 3.1 and 4.2 "log". */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "base/encode.h"
#include "base/str.h"
#include "config/config.h"
#include "config/module.h"
#include "log/level.h"

#include <stdbool.h>
#include <time.h>

struct log_conf; /* the targets of the global section or of a proxy, and its tag */

extern const struct module log_module;     /* words and data */
extern const struct module ring_module;    /* the ring section; its data are log_module's */
extern const struct module log_run_module; /* opens what log_module's data name */

/* Sends the message (no line feed) to each target of conf whose level admits it. A target
 * "global" stands for the global targets. conf NULL: a proxy without any log line; nothing is
 * sent. Before the configuration was started nothing is sent either. */
void log_send(const struct log_conf *conf, enum log_level level, const char *msg, size_t len);
/* True: a target took it whose lines are seen where stderr is: stdout, stderr, the journal. */
bool log_printf(const struct log_conf *conf, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with more than a text. */
struct log_message {
	struct span msg;
	struct span sd;         /* structured data for targets of format rfc5424; empty: none */
	enum encoding encoding; /* of msg: an object, which a target that takes less gets cut so
				 * that it stays one */
};
void log_send_message(const struct log_conf *conf, enum log_level level,
		      const struct log_message *message);
/* The same of whoever says it in several forms: log/profile.h. compose is called for each target;
 * form NULL: as without a profile; NULL: there is nothing to say. False: profiles drop it
 * everywhere. */
struct log_form;
struct log_profile;
struct log_writer {
	unsigned step;                     /* enum log_step */
	const struct log_profile *profile; /* for all targets; NULL: that of each */
	const struct log_message *(*compose)(struct log_writer *writer,
					     const struct log_form *form);
};
bool log_write(const struct log_conf *conf, enum log_level level, struct log_writer *writer);
/* Where lines go that no log line names: "stdout", "stderr", a ring that stands above, or "buf0",
 * which is made where there is none. NULL and err: there is no such place. cfg owns it. */
struct err;
struct log_target;
struct log_target *log_sink(struct config *cfg, const struct location *loc, const char *name,
			    struct err *err);
/* The first LOG_SINK_LEN bytes of msg go there, if the configuration runs. */
enum { LOG_SINK_LEN = 4096 };
void log_sink_write(struct log_target *sink, struct span msg);
/* Is there any target at all, for a line sent now? */
bool log_enabled(const struct log_conf *conf);
/* The same while the configuration is being completed. */
bool log_has_targets(const struct log_conf *conf, const struct config *cfg);
/* Those of the global section, for log_send; NULL before the configuration was started. */
const struct log_conf *log_global(void);
/* The longest message that any target takes ("len"), at least 1024: size of the memory in
 * which a line is composed. */
size_t log_max_len(void);

/* Alerts and notices of the process itself: to stderr ("[WARNING]  (pid) : text") while
 * log_to_stderr, and to the global targets. */
void log_process(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same to stderr alone, without waiting for who reads it. */
void log_stderr(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What a script says, under the name of the level: "[info] (pid) : msg". */
void log_stderr_own(enum log_level level, const char *msg, size_t len);
/* The first target that is stdout or stderr; NULL: none. */
const char *log_on_terminal(void);
/* 0, 1 and 2 have become something else: no target keeps what they were. */
void log_leave_terminal(void);
extern bool log_to_stderr; /* true at first; false with -q */
/* Hears each of these sentences, also with -q, while a start is under way. NULL: nobody. */
extern void (*log_heard)(enum log_level level, const char *msg, size_t len);
/* A parent of processes that serve sends its lines to the servers of rings, too: once it has a
 * loop. 0, or -1 and err. */
int log_parent_start(struct err *err);
/* The root directory is about to change: log sockets are connected before. */
void log_leave_root(void);
/* The process's id, without a system call a line. */
unsigned log_own_pid(void);
/* In a process that was just forked: what its parent has logged is the parent's. */
void log_forked(void);

/* For proxies' words: parsers of "log" and "log-tag". kw->offset is that of a struct log_conf *
 * in the object; a conf that was inherited is copied before it changes. */
keyword_parse log_parse_proxy, log_parse_proxy_tag;

struct log_stats {
	uint64_t sent, dropped; /* lines, one for each target */
};
extern struct log_stats log_stats;

#endif
