/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text is lines of words, the first of them its version. Descriptors keep their numbers; all
 * that is not named has been closed by close-on-exec. A worker's channel is replaced by a fresh
 * one just before, so that no half of a frame is left in the old image. Called by main() and
 * reload.c.
 */
#include "process/handover.h"

#include "base/err.h"
#include "cli/cli.h"
#include "cli/conversation.h"
#include "config/config.h"
#include "event/signals.h"
#include "log/log.h"
#include "net/inherit.h"
#include "net/listener.h"
#include "process/channel.h"
#include "process/messages.h"
#include "process/parent_cli_conf.h"
#include "process/self.h"
#include "process/spare.h"
#include "process/workers.h"
#include "proxy/added_names.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "proxy/states.h"
#include "share/kept.h"
#include "share/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE "PENSTOCK_HANDOVER"
enum { HANDOVER_VERSION = 2, GENERATION_MOST = INT32_MAX, ASKERS = 16, TALKERS = 128 };

static char **start_argv, **start_environ;
static int start_argc, start_folder = -1;
static char *program;         /* with a path, or to be found by PATH */
static int segment_taken = -1; /* descriptor of the earlier image's */
static int *wakes;
static unsigned wake_count;
static int askers[ASKERS];
static unsigned asker_count;
/* They wait for the loop. */
static struct talker {
	int fd;
	char text[CLI_TEXT];
} talkers[TALKERS];
static unsigned talker_count;

/* ---- how it was started ------------------------------------------------------------------ */

static char **copy_list(char *const *list, int extra)
{
	char **copy;
	size_t n = 0;

	while (list[n])
		n++;
	copy = calloc(n + 1 + (size_t)extra, sizeof(*copy));
	if (copy)
		memcpy(copy, list, n * sizeof(*copy));
	return copy;
}

/* A path from the folder of the start would mean something else after -C. */
static char *find_program(const char *name)
{
	char folder[4096], *path = NULL;

	if (*name == '/' || !strchr(name, '/') || !getcwd(folder, sizeof(folder)) ||
	    asprintf(&path, "%s/%s", folder, name) < 0)
		path = strdup(name);
	return path;
}

/* "NAME=text", for the program that is executed next. The place in the environment. */
static char **give_variable(char *text)
{
	char **at = start_environ;

	while (at && *at)
		at++;
	if (at)
		*at = text; /* there is room for one more */
	return at;
}

static void run_program(char **argv)
{
	char **environment = start_environ;

	if (start_folder >= 0 && fchdir(start_folder) < 0)
		return;
	if (program && argv && environment)
		execvpe(program, argv, environment);
}

/* ---- askers ------------------------------------------------------------------------------ */

void handover_add_asker(int fd)
{
	if (asker_count < ASKERS)
		askers[asker_count++] = fd;
	else
		close(fd);
}

int handover_next_asker(void)
{
	return asker_count ? askers[--asker_count] : -1;
}

void handover_forget(void)
{
	int fd;

	if (start_folder >= 0)
		close(start_folder);
	start_folder = -1;
	while ((fd = handover_next_asker()) >= 0)
		close(fd);
}

void handover_resume_conversations(void)
{
	while (talker_count) {
		talker_count--;
		conversation_resume(talkers[talker_count].fd, talkers[talker_count].text);
	}
}

/* ---- giving ------------------------------------------------------------------------------ */

/* All descriptors that are named, so that they can be made close-on-exec again. */
static void keep_open(int fd, bool on)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, on ? 0 : FD_CLOEXEC);
}

static void keep_closed(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void give_fd(FILE *out, const char *word, int fd)
{
	keep_open(fd, true);
	fprintf(out, "%s %d\n", word, fd);
}

static void give_segment(FILE *out)
{
	unsigned i;

	if (!segment || segment_fd(segment) < 0)
		return;
	if (!spare_serves()) /* whose memory has them, and published them */
		facts_publish_states();
	give_fd(out, "segment", segment_fd(segment));
	for (i = 0; i < segment_capacity(segment); i++)
		give_fd(out, "wake", segment_wake_fd(segment, i));
}

static void give_listener(struct listener *l, void *arg)
{
	char key[INHERIT_KEY];

	if (l->src.fd < 0)
		return;
	keep_open(l->src.fd, true);
	if (l->inherited)
		fprintf(arg, "raw %d\n", l->src.fd);
	else
		fprintf(arg, "listener %d %s\n", l->src.fd, inherit_key(l, key, sizeof(key)));
}

static void give_kept(int fd, const char *key, void *arg)
{
	keep_open(fd, true);
	fprintf(arg, "listener %d %s\n", fd, key);
}

static void each_listener(struct config *cfg, void (*fn)(struct listener *l, void *arg), void *arg)
{
	const struct list *lists[3] = { 0 };
	struct bind_conf *bind;
	struct listener *l;
	struct proxy *px;
	size_t i;

	parent_cli_each(cfg, fn, arg);
	if (proxies_running) {
		lists[0] = &proxies_running->list;
		lists[1] = &proxies_running->stats_frontends;
		lists[2] = &proxies_running->peers;
	}
	for (i = 0; i < 3 && lists[i]; i++)
		list_for_each(px, lists[i], node)
			list_for_each(bind, &px->binds, node)
				list_for_each(l, &bind->listeners, node)
					fn(l, arg);
}

/* The other end goes to the worker behind all that it was sent before. False: there is none to be
 * had; without it the worker would take us for gone. */
static bool give_worker(FILE *out, struct worker *w)
{
	int ends[2];

	if (w->pid <= 0) /* its row is to be emptied */
		fprintf(out, "worker 0 %d %u %u -1 -1 1\n", w->row, w->generation, w->number);
	if (w->pid <= 0 || !w->channel)
		return true;
	if (channel_pair(ends) < 0)
		return false;
	if (channel_send(w->channel, MSG_MOVE, 0, NULL, 0, ends[1]) < 0 && errno != EPIPE) {
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	if (channel_backlog(w->channel))
		log_process(LOG_L_WARNING, "Worker %u (%d) does not listen: it will finish.",
			    w->number, (int)w->pid);
	close(ends[1]);
	w->channel_fd = ends[0];
	keep_open(w->channel_fd, true);
	keep_open(w->words_fd, true);
	fprintf(out, "worker %d %d %u %u %d %d %d %u\n", (int)w->pid, w->row, w->generation,
		w->number, w->channel_fd, w->words_fd, w->state == WORKER_FINISHES, w->reloads);
	return true;
}

static void give_memory(const char *name, int fd, void *arg)
{
	keep_open(fd, true);
	fprintf(arg, "region %d %s\n", fd, name);
}

static void give_conversation(int fd, const char *text, void *arg)
{
	keep_open(fd, true);
	fprintf(arg, "conversation %d %s\n", fd, text);
}

/* False, and errno: not all of it was to be had. */
static bool give_all(struct config *cfg, FILE *out)
{
	struct worker *w;
	unsigned i;

	fprintf(out, "version %d\n", HANDOVER_VERSION);
	fprintf(out, "reloads %u %u %llu %u\n", reload_info.reloads, reload_info.failed,
		(unsigned long long)reload_info.started_ms, process_self.generation);
	give_segment(out);
	spare_give(out);
	each_listener(cfg, give_listener, out);
	inherit_each(give_kept, out);
	kept_each(give_memory, out);
	list_for_each(w, &workers, node)
		if (!give_worker(out, w))
			return false;
	for (i = 0; i < asker_count; i++)
		give_fd(out, "asker", askers[i]);
	conversations_give(give_conversation, out);
	fprintf(out, "end %ld\n", ftell(out)); /* so much came before */
	return fflush(out) == 0;
}

/* ---- taking ------------------------------------------------------------------------------ */

static unsigned senseless; /* lines */

/* All that is given comes without close-on-exec: what has it was taken before, or is our own. */
static bool take_fd(int fd)
{
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFD);

	if (flags < 0 || flags & FD_CLOEXEC)
		return false;
	keep_open(fd, false);
	return true;
}

static int take_fd_or_none(int fd)
{
	return take_fd(fd) ? fd : -1;
}

/* Signals must reach nobody else, and only the end of a child is told. It may have ended
 * already. */
static bool take_child(pid_t pid)
{
	siginfo_t info;

	return pid > 0 && !worker_of_pid(pid) && !spare_is(pid) &&
	       waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* One that is refused hears that its parent has gone, and finishes. */
static bool take_worker(const char *line)
{
	struct worker w = { .turns = UINT64_MAX }, *copy;
	int finishes;

	if (sscanf(line, "%d %d %u %u %d %d %d", &w.pid, &w.row, &w.generation, &w.number,
		   &w.channel_fd, &w.words_fd, &finishes) != 7)
		return false;
	if (w.generation > GENERATION_MOST)
		w.generation = 0;
	w.channel_fd = take_fd_or_none(w.channel_fd);
	w.words_fd = take_fd_or_none(w.words_fd);
	w.state = finishes || !w.pid || w.channel_fd < 0 ? WORKER_FINISHES : WORKER_SERVES;
	copy = !w.pid || take_child(w.pid) ? malloc(sizeof(*copy)) : NULL;
	if (!copy || !w.pid) {
		keep_closed(&w.channel_fd);
		keep_closed(&w.words_fd);
	}
	if (!copy)
		return false;
	*copy = w;
	list_append(&workers, &copy->node);
	if (!w.pid || w.channel_fd >= 0)
		return true;
	kill(w.pid, SIGUSR1); /* it cannot be led */
	return false;
}

static void take_wake(int fd)
{
	int *more = realloc(wakes, (wake_count + 1) * sizeof(*more));

	if (!more)
		return;
	wakes = more;
	wakes[wake_count++] = fd;
}

static void take_conversation(int fd, const char *text)
{
	if (talker_count == TALKERS || strlen(text) >= CLI_TEXT) {
		close(fd);
		return;
	}
	talkers[talker_count].fd = fd;
	memcpy(talkers[talker_count++].text, text, strlen(text) + 1);
}

/* Of a build whose memory did not say what it is. */
static void take_memory(const char *name, int fd)
{
	if (kept_take(name, fd))
		kept_refuse(name);
}

static bool take_reloads(const char *line)
{
	struct reload_info info = { 0 };
	unsigned long long started;
	uint32_t generation;

	if (sscanf(line, "%u %u %llu %u", &info.reloads, &info.failed, &started, &generation) != 4 ||
	    !generation || generation > GENERATION_MOST)
		return false;
	reload_info = info;
	reload_info.started_ms = started;
	process_set_generation(generation);
	return true;
}

static bool take_spare(const char *line)
{
	int fd, pid;

	if (sscanf(line, "%d %d", &fd, &pid) != 2 || !take_child(pid) || !take_fd(fd))
		return false;
	spare_take(fd, pid);
	return true;
}

/* False: the line makes no sense. What it is about is left to itself then. */
static bool take_line(const char *word, const char *rest)
{
	int fd = atoi(rest);

	if (!strcmp(word, "reloads"))
		return take_reloads(rest);
	if (!strcmp(word, "worker"))
		return take_worker(rest);
	if (!strcmp(word, "spare"))
		return take_spare(rest);
	if (!strcmp(word, "version"))
		return true;
	if (!take_fd(fd))
		return false;
	if (!strcmp(word, "wake"))
		take_wake(fd);
	else if (!strcmp(word, "segment"))
		segment_taken = fd;
	else if (!strcmp(word, "listener"))
		inherit_keep(fd, rest + strcspn(rest, " ") + 1);
	else if (!strcmp(word, "raw"))
		keep_open(fd, true); /* fd@N finds it by its number */
	else if (!strcmp(word, "region"))
		kept_take(rest + strcspn(rest, " ") + 1, fd);
	else if (!strcmp(word, "memory"))
		take_memory(rest + strcspn(rest, " ") + 1, fd);
	else if (!strcmp(word, "asker"))
		handover_add_asker(fd);
	else if (!strcmp(word, "conversation"))
		take_conversation(fd, rest + strcspn(rest, " ") + 1);
	else
		close(fd);
	return true;
}

static int socket_option(int fd, int option)
{
	socklen_t size = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/* Nobody has taken it, and it is a channel, whose worker would never hear that nobody leads it, or
 * a socket that shares its port: what comes to it would wait for ever. */
static bool is_left(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	if (fd <= STDERR_FILENO || fcntl(fd, F_GETFD) != 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return false;
	if (addr.sun_family == AF_UNIX)
		return len <= offsetof(struct sockaddr_un, sun_path) &&
		       socket_option(fd, SO_ACCEPTCONN) == 0;
	return socket_option(fd, SO_REUSEPORT) > 0;
}

static void close_left(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_left(atoi(entry->d_name)))
			close(atoi(entry->d_name));
	if (folder)
		closedir(folder);
}

/* Version 1 has no end. */
static bool is_end(const char *word, const char *rest, long at)
{
	return (!strcmp(word, "end") && atol(rest) == at) ||
	       (!strcmp(word, "version") && !strcmp(rest, "1"));
}

static void take_all(FILE *in)
{
	bool ended = false;
	char line[1024], *rest;
	long at = 0;

	for (; fgets(line, sizeof(line), in); at = ftell(in)) {
		line[strcspn(line, "\n")] = 0;
		rest = line + strcspn(line, " ");
		if (*rest)
			*rest++ = 0;
		ended = is_end(line, rest, at) || ended;
		if (strcmp(line, "end") && !take_line(line, rest))
			senseless++;
	}
	if (ended && !senseless)
		return;
	close_left();
	log_stderr(LOG_L_WARNING, "What the parent before has left is damaged (%u lines make no sense): "
		   "workers that it does not name finish.", senseless);
}

static void take_over(const char *value)
{
	int fd = atoi(value);
	FILE *in = lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "re") : NULL;

	if (!in)
		return;
	keep_open(fd, false);
	process_self.taken_over = true;
	take_all(in);
	fclose(in);
}

void handover_start(int argc, char **argv)
{
	const char *value = getenv(VARIABLE);

	if (value)
		take_over(value);
	unsetenv(VARIABLE);
	if (!argc)
		return;
	start_argc = argc;
	start_argv = copy_list(argv, 1);
	start_environ = copy_list(environ, 1);
	start_folder = open(".", O_PATH | O_CLOEXEC);
	program = find_program(argv[0]);
}

/* Workers of the earlier image go on with theirs, which this one cannot read. */
static void leave_segment(const char *why)
{
	struct worker *w;
	unsigned i;

	log_stderr(LOG_L_WARNING, "Numbers begin anew, and limits do not count what the processes "
		   "before still do: %s.", why);
	list_for_each(w, &workers, node)
		w->row = -1;
	for (i = 0; i < wake_count; i++)
		close(wakes[i]);
	wake_count = 0;
}

void handover_offer_segment(void)
{
	struct err err;

	if (segment_taken < 0)
		return;
	tally_room.segment = states_attach(segment_taken, &err);
	if (tally_room.segment)
		return;
	close(segment_taken);
	segment_taken = -1;
	leave_segment(err.text);
}

void handover_check_segment(void)
{
	if (segment_taken < 0 || !tally_room.began_anew)
		return;
	wake_count = 0; /* closed with the segment */
	segment_taken = -1;
	leave_segment("there are more of them than the memory has rows for");
}

/* ---- executing --------------------------------------------------------------------------- */

static void keep_listener(struct listener *l, void *arg)
{
	if (l->src.fd >= 0 && !l->inherited)
		keep_open(l->src.fd, *(bool *)arg);
}

static void keep_kept(int fd, const char *key, void *arg)
{
	(void)key;
	keep_open(fd, *(bool *)arg);
}

static void keep_memory(const char *name, int fd, void *arg)
{
	(void)name;
	keep_open(fd, *(bool *)arg);
}

static void keep_conversation(int fd, const char *text, void *arg)
{
	(void)text;
	keep_open(fd, *(bool *)arg);
}

/* It did not work: nothing of this may pass to other programs that are executed. */
static void take_back(struct config *cfg)
{
	bool no = false;
	unsigned i;

	each_listener(cfg, keep_listener, &no);
	inherit_each(keep_kept, &no);
	kept_each(keep_memory, &no);
	for (i = 0; segment && segment_fd(segment) >= 0 && i < segment_capacity(segment); i++)
		keep_open(segment_wake_fd(segment, i), false);
	if (segment)
		keep_open(segment_fd(segment), false);
	for (i = 0; i < asker_count; i++)
		keep_open(askers[i], false);
	conversations_give(keep_conversation, &no);
	spare_keep(false);
}

int handover_execute(struct config *cfg, struct err *err)
{
	int fd = memfd_create("penstock-handover", 0), error;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	char value[16];

	if (!out) {
		if (fd >= 0)
			close(fd);
		return err_set(err, "no memory for the handover: %s", strerror(errno));
	}
	snprintf(value, sizeof(value), "%d", fd);
	if (give_all(cfg, out)) {
		char variable[64], **given;

		snprintf(variable, sizeof(variable), VARIABLE "=%s", value);
		given = give_variable(variable);
		run_program(start_argv);
		error = errno;
		if (given)
			*given = NULL;
		errno = error;
	}
	err_set(err, "cannot execute %s: %s", program ? program : "the program", strerror(errno));
	fclose(out);
	take_back(cfg);
	return -1;
}

void handover_validate(int fd)
{
	char **argv = start_argv ? copy_list(start_argv, 1) : NULL, variable[64];
	int added = added_names_write(), i;

	if (argv) {
		for (i = start_argc; i > 1; i--)
			argv[i] = argv[i - 1];
		argv[1] = strdup("-c");
	}
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	signals_reset();
	snprintf(variable, sizeof(variable), ADDED_NAMES "=%d", added);
	if (added >= 0)
		give_variable(variable);
	run_program(argv);
	dprintf(STDERR_FILENO, "cannot execute %s: %s\n", program ? program : "the program",
		strerror(errno));
	_exit(1);
}
