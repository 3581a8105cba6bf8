/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reload: another process reads the files first (the same command line with -c); only when it
 * finds them good the parent executes itself anew. A request that comes while one is under way
 * begins it again, since the files may have changed; one that comes while workers start waits
 * until they serve. Called by signals and the parent's socket.
 */
#include "process/reload.h"

#include "base/clock.h"
#include "base/err.h"
#include "event/loop.h"
#include "log/log.h"
#include "process/handover.h"
#include "process/notify.h"
#include "process/parent.h"
#include "process/self.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_SIZE = 32768, LATER = 16 };

static char log_memory[LOG_SIZE];  /* of the start, or of the last failure */
static size_t log_len;
static char heard[LOG_SIZE];       /* from the process that reads the files */
static size_t heard_len;
static pid_t reader;               /* 0: none */
static bool again;                 /* once more, when workers serve */
static int later[LATER];           /* who waits for that one */
static unsigned later_count;
static bool over;                  /* the parent ends: nothing is begun any more */
static void reader_said(struct source *src, uint32_t events);
static struct source output = { .fd = -1, .ready = reader_said };

const char *reload_log(void)
{
	return log_memory;
}

static void reload_empty_log(void)
{
	log_len = 0;
	*log_memory = 0;
}

void reload_add_log(const char *text, size_t len)
{
	if (len >= LOG_SIZE - log_len)
		len = LOG_SIZE - 1 - log_len;
	memcpy(log_memory + log_len, text, len);
	log_len += len;
	log_memory[log_len] = 0;
}

static void reload_add_line(const char *sentence)
{
	reload_add_log(sentence, strlen(sentence));
	reload_add_log("\n", 1);
}

/* Notices ("New worker 1 forked") are no news to who asked. */
static void told_at_start(enum log_level level, const char *msg, size_t len)
{
	if (level > LOG_L_WARNING)
		return;
	reload_add_log(msg, len);
	reload_add_log("\n", 1);
}

void reload_log_begin(void)
{
	reload_empty_log();
	log_heard = told_at_start;
}

void reload_log_end(void)
{
	log_heard = NULL;
}

/* ---- the outcome ------------------------------------------------------------------------- */

/* They may be slow or gone: what does not fit at once is lost to them. */
static void tell_askers(bool success)
{
	char text[LOG_SIZE + 32];
	int fd, n;

	n = snprintf(text, sizeof(text), "Success=%d\n--\n%s", success, log_memory);
	while ((fd = handover_next_asker()) >= 0) {
		if (send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			log_process(LOG_L_NOTICE, "Who asked for the reload has gone.");
		close(fd);
	}
}

void reload_start_said(void)
{
	reload_log_end();
	reload_add_line("Loading success.");
}

void reload_succeeded(void)
{
	reload_info.failed = 0;
	reload_info.last_failed = false;
	tell_askers(true);
}

void reload_failed(const char *why)
{
	reload_log_end();
	reload_info.failed++;
	reload_info.last_failed = true;
	log_process(LOG_L_ALERT, "Reload failed: %s. The processes before go on.", why);
	reload_add_line(why);
	tell_askers(false);
	notify_ready("Reload failed: the configuration before is in service.");
}

void reload_not_executed(const char *why)
{
	reload_empty_log();
	reload_failed(why);
}

/* ---- what the process that reads the files has said ---------------------------------------- */

/* "   13 |  bogus x", and the mark below it: the line is named above it. */
static bool is_excerpt(const char *line)
{
	line += strspn(line, " ");
	line += strspn(line, "0123456789");
	line += strspn(line, " ");
	return *line == '|';
}

static enum log_level level_of(const char *line, enum log_level before)
{
	if (!strncmp(line, "hint: ", 6))
		return before;
	if (strstr(line, ": warning: "))
		return LOG_L_WARNING;
	return strstr(line, ": notice: ") || strstr(line, ": note: ") ? LOG_L_NOTICE : LOG_L_ALERT;
}

/* To the logs and to stderr, as what the parent says itself. */
static void log_reader(void)
{
	enum log_level level = LOG_L_ALERT;
	char *rest = heard, *line;

	heard[heard_len] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (is_excerpt(line))
			continue;
		line += strspn(line, " =");
		level = level_of(line, level);
		if (*line)
			log_process(level, "%s", line);
	}
}

/* ---- the process that reads the files ---------------------------------------------------- */

static void output_close(void)
{
	if (output.fd < 0)
		return;
	loop_remove(&output);
	close(output.fd);
	output.fd = -1;
}

static void reader_said(struct source *src, uint32_t events)
{
	char rest[4096];
	ssize_t n;

	(void)events;
	if (heard_len < sizeof(heard) - 1)
		n = read(src->fd, heard + heard_len, sizeof(heard) - 1 - heard_len);
	else
		n = read(src->fd, rest, sizeof(rest));
	if (n > 0 && heard_len < sizeof(heard) - 1)
		heard_len += (size_t)n;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		output_close();
}

static int reader_start(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	heard_len = 0;
	reader = fork();
	if (reader == 0)
		handover_validate(fds[1]);
	close(fds[1]);
	output.fd = fds[0];
	if (reader > 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0 && loop_add(&output, EPOLLIN) == 0)
		return 0;
	close(fds[0]);
	output.fd = -1;
	if (reader > 0)
		kill(reader, SIGKILL);
	reader = 0;
	return -1;
}

static void reload_begin(void)
{
	log_process(LOG_L_NOTICE, "Reloading: the files are read.");
	notify_reloading("Reloading.");
	if (reader > 0)
		kill(reader, SIGKILL); /* its end is nobody's business any more */
	output_close();
	if (reader_start() < 0) {
		reload_info.reloads++;
		reload_not_executed("no process to read the files");
	}
}

static void join_later(void)
{
	while (later_count)
		handover_add_asker(later[--later_count]);
}

static void refuse(void)
{
	join_later();
	reload_empty_log();
	reload_add_line("The service is stopping.");
	tell_askers(false);
}

void reload_cancel(void)
{
	over = true;
	again = false;
	if (reader > 0)
		kill(reader, SIGKILL);
	reader = 0;
	output_close();
	refuse();
}

void reload_request(int fd)
{
	again = !over && parent_is_busy();
	if (fd >= 0 && again && later_count < LATER)
		later[later_count++] = fd;
	else if (fd >= 0)
		handover_add_asker(fd);
	if (over)
		refuse();
	else if (!again)
		reload_begin();
}

void reload_resume(void)
{
	if (!again)
		return;
	join_later();
	reload_request(-1);
}

static void reload_execute(void)
{
	log_process(LOG_L_NOTICE, "The files are good: executing the program anew.");
	parent_execute();
}

void reload_child_ended(int pid, int status)
{
	if (pid != reader)
		return;
	reader = 0;
	while (output.fd >= 0 && heard_len < sizeof(heard) - 1) {
		size_t before = heard_len;

		reader_said(&output, 0);
		if (heard_len == before)
			break;
	}
	output_close();
	reload_info.reloads++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		reload_execute();
		return;
	}
	reload_empty_log();
	reload_add_log(heard, heard_len);
	log_reader();
	reload_failed("the files are not good");
}

void reload_forget(void)
{
	reload_log_end();
	while (later_count)
		close(later[--later_count]);
	if (output.fd >= 0)
		close(output.fd);
	output.fd = -1;
	output.registered = false;
}
