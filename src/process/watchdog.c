/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A worker counts the turns of its loop in its row, and notes when it goes to sleep in the poller.
 * One that does neither for long hangs: after so much processor time when it runs, or so much real
 * time when it waits in the kernel. Processor time is what counts for the first, so that a busy
 * machine, on which it is not its turn, kills nobody. One that is stopped, by a debugger or a
 * signal, does not hang. Called by the parent's tick.
 */
#include "process/watchdog.h"

#include "base/clock.h"
#include "log/log.h"
#include "process/worker_entry.h"
#include "share/segment.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { HANG_CPU_MS = 4000, HANG_MS = 60000,
       WORDS_MS = 3000 /* for SIGABRT's handler; then SIGKILL */ };

/* Its processor time so far; 0: not known. */
static uint64_t cpu_ms(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* By somebody who traces it. */
static bool is_traced(pid_t pid)
{
	char path[40], line[256] = "";
	const char *p;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	p = strrchr(line, ')');
	return p && (p[2] == 'T' || p[2] == 't');
}

/* The kernel tells its parent of SIGSTOP; /proc may be hidden (ProtectProc= of systemd). */
static bool is_stopped(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid)
		return true;
	return is_traced(pid);
}

static void watch_turned(struct worker *w, uint64_t turns)
{
	w->turns = turns;
	w->turned_ms = clock_now_ms;
	w->turned_cpu_ms = cpu_ms(w->pid);
}

void watchdog_look(struct worker *w)
{
	const struct segment_row *row = segment_row(segment, (unsigned)w->row);
	uint64_t turns = atomic_load(&row->pulse.turns), used;

	if (w->aborted) {
		if (clock_now_ms - w->turned_ms >= WORDS_MS)
			kill(w->pid, SIGKILL);
		return;
	}
	if (turns != w->turns || atomic_load(&row->pulse.asleep) || is_stopped(w->pid)) {
		watch_turned(w, turns);
		return;
	}
	used = cpu_ms(w->pid) - w->turned_cpu_ms;
	if (used < HANG_CPU_MS && clock_now_ms - w->turned_ms < HANG_MS)
		return;
	log_process(LOG_L_ALERT, "Worker %u (%d) hangs: no turn of its loop for %llu ms, in which it "
		    "used the processor for %llu ms. It is ended.", w->number, (int)w->pid,
		    (unsigned long long)(clock_now_ms - w->turned_ms), (unsigned long long)used);
	w->aborted = true;
	w->turned_ms = clock_now_ms;
	kill(w->pid, SIGABRT);
	kill(w->pid, SIGCONT);
}
