/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handler runs on a stack of its own and calls nothing that allocates or locks: backtrace() is
 * called once before, so that its library is there. What it was doing (scene.c) comes last, since
 * that looks at memory that may be what is broken. Its words go through a pipe, of which
 * the parent reads what is in it when the worker has ended; nobody waits for anybody.
 */
#include "process/obituary.h"

#include "base/str.h"
#include "log/log.h"
#include "net/addr.h"
#include "process/scene.h"
#include "process/self.h"
#include "process/worker_entry.h"
#include "proxy/proxy.h"
#include "share/segment.h"

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_SIZE = 65536, FRAMES = 48, WORDS_MOST = 8192 };

static int words_to = -1;
static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };

/* ---- a process that dies ----------------------------------------------------------------- */

void obituary_say(const char *text, size_t len)
{
	if (write(STDERR_FILENO, text, len) < 0 && words_to < 0)
		return;
	if (words_to >= 0 && write(words_to, text, len) < 0)
		return; /* nobody is left to hear it */
}

static void say_places(void *const *places, int n)
{
	backtrace_symbols_fd(places, n, STDERR_FILENO);
	if (words_to >= 0)
		backtrace_symbols_fd(places, n, words_to);
}

void obituary_write(int signo)
{
	static volatile sig_atomic_t scene_said;
	void *frames[FRAMES];
	char memory[128];
	struct text t;
	int n;

	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "penstock: process %d dies of SIG%s at:\n", (int)getpid(),
		    sigabbrev_np(signo) ? sigabbrev_np(signo) : "?");
	obituary_say(t.ptr, t.len);
	n = backtrace(frames, FRAMES);
	say_places(frames, n);
	if (!scene_said) {
		scene_said = 1;
		n = scene_say(obituary_say, frames);
		say_places(frames, n);
	}
}

/* SA_RESETHAND: a second one, also inside here, ends it. */
static void on_fatal(int signo)
{
	obituary_write(signo);
	signal(signo, SIG_DFL);
	raise(signo);
}

void obituary_prepare(int fd)
{
	static char stack[STACK_SIZE];
	const stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_fatal,
				    .sa_flags = SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER };
	void *frames[2];
	size_t i;

	words_to = fd;
	backtrace(frames, 2);
	sigaltstack(&alternative, NULL);
	sigemptyset(&action.sa_mask);
	for (i = 0; i < ARRAY_LEN(fatal); i++)
		sigaction(fatal[i], &action, NULL);
}

/* ---- the parent -------------------------------------------------------------------------- */

static const char *frontend_name(uint32_t id)
{
	const struct proxy *px;

	if (!proxies_running)
		return "?";
	list_for_each(px, &proxies_running->list, node)
		if ((uint32_t)px->uuid == id)
			return px->name;
	return "?";
}

/* " at stream 17 of 192.0.2.1:1234 (frontend www)"; nothing when it slept. */
static void print_at_hand(struct text *t, const struct segment_row *row, bool same_generation)
{
	struct addr from = { .family = row->at_hand.family, .port = row->at_hand.port };

	if (!row->at_hand.stream || atomic_load(&row->pulse.asleep))
		return;
	text_printf(t, ", at hand: stream %llu", (unsigned long long)row->at_hand.stream);
	if (from.family == AF_INET || from.family == AF_INET6) {
		memcpy(&from.v6, row->at_hand.address, sizeof(row->at_hand.address));
		text_str(t, " of ");
		addr_print_clear(&from, t);
	}
	if (same_generation)
		text_printf(t, " (frontend %s)", frontend_name(row->at_hand.frontend));
}

/* It may have been taken over: what it says is to be read, not to move somebody's cursor. */
static void tame(char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = text[i] == '\n' ? '\n' : '?';
}

static void log_words(const struct worker *w)
{
	char memory[WORDS_MOST + 1], *rest = memory, *line;
	ssize_t n = w->words_fd < 0 ? 0 : read(w->words_fd, memory, WORDS_MOST);

	if (n <= 0)
		return;
	tame(memory, (size_t)n);
	memory[n] = 0;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_process(LOG_L_ALERT, "Worker %u (%d): %s", w->number, (int)w->pid, line);
}

void obituary_log(struct worker *w, int status)
{
	bool finished = w->state == WORKER_FINISHES;
	char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (WIFSIGNALED(status)) {
		text_printf(&t, "was killed by signal %d (SIG%s)", WTERMSIG(status),
			    sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
		if (w->row >= 0)
			print_at_hand(&t, segment_row(segment, (unsigned)w->row),
				      w->generation == process_self.generation);
	} else if (WEXITSTATUS(status) || !finished) {
		text_printf(&t, "ended with exit code %d", WEXITSTATUS(status));
	} else {
		text_str(&t, "has finished");
	}
	log_process(finished && !WIFSIGNALED(status) ? LOG_L_NOTICE : LOG_L_ALERT,
		    "Worker %u (%d) %.*s.", w->number, (int)w->pid, (int)t.len, t.ptr);
	log_words(w);
}
