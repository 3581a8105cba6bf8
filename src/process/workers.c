/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of workers: who is of which generation, who ends, when one is forked anew, who checks
 * servers. Called by parent.c and forking.c; decides nothing about the service as a whole.
 */
#include "process/workers.h"

#include "base/clock.h"
#include "base/err.h"
#include "check/report.h"
#include "event/change.h"
#include "expr/pattern_change.h"
#include "process/changes.h"
#include "process/channel.h"
#include "process/messages.h"
#include "process/self.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "stick/memory.h"
#include "tally/tally.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { EARLY_MS = 3000,       /* a worker that lived longer is replaced at once */
       AT_ONCE = 3,           /* one that did not, so often in a row, too */
       DELAY_MOST_MS = 60000 };

struct list workers = LIST_INIT(workers);
enum parent_state parent_state;
bool process_kept_all;
static uint32_t checker_row;    /* 0: nobody checks servers now */

void workers_signal(int signo)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->pid > 0)
			kill(w->pid, signo);
}

void workers_tell(uint32_t kind)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->channel)
			channel_send(w->channel, kind, 0, NULL, 0, -1);
}

struct worker *worker_of_pid(pid_t pid)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->pid == pid)
			return w;
	return NULL;
}

bool worker_is_old(const struct worker *w)
{
	return w->generation != process_self.generation;
}

uint32_t workers_last_generation(void)
{
	uint32_t last = process_self.generation;
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->generation > last)
			last = w->generation;
	return last;
}

bool workers_have_old(void)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (worker_is_old(w))
			return true;
	return false;
}

bool workers_old_accept(void)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->may_accept)
			return true;
	return false;
}

bool workers_all_serve(void)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->state == WORKER_STARTS || w->state == WORKER_WAITS)
			return false;
	return true;
}

/* ---- beginning and end ------------------------------------------------------------------- */

int worker_new(unsigned number, struct err *err)
{
	struct worker *w = calloc(1, sizeof(*w));
	int row = segment_take_row(segment, process_self.generation, number);

	if (!w || row < 0) {
		free(w);
		return err_set(err, row < 0 ? "too many processes" : "out of memory");
	}
	*w = (struct worker){ .number = number, .row = row, .words_fd = -1, .channel_fd = -1,
			      .generation = process_self.generation };
	list_append(&workers, &w->node);
	return 0;
}

/* How long until it is forked anew: nothing at first; more and more for one that dies young again
 * and again, since something kills it where it begins. */
unsigned worker_delay(struct worker *w)
{
	unsigned delay = 1000, n;

	if (clock_now_ms - w->started_ms >= EARLY_MS)
		w->early_deaths = 0;
	else
		w->early_deaths++;
	if (w->early_deaths <= AT_ONCE)
		return 0;
	for (n = AT_ONCE + 1; n < w->early_deaths && delay < DELAY_MOST_MS; n++)
		delay *= 2;
	return delay < DELAY_MOST_MS ? delay : DELAY_MOST_MS;
}

void worker_let_go(struct worker *w)
{
	if (w->row >= 0) {
		atomic_store(&segment_row(segment, (unsigned)w->row)->pid, 0);
		tally_drop_gauges((unsigned)w->row);
		stick_memory_mend((unsigned)w->row);
	}
	changes_remove(w->channel);
	if (w->row >= 0)
		pattern_loads_abandon((unsigned)w->row);
	channel_free(&w->channel);
	if (w->words_fd >= 0)
		close(w->words_fd);
	w->words_fd = -1;
	w->pid = 0;
	if (w->row >= 0 && (uint32_t)w->row == checker_row)
		checker_row = 0;
}

/* What only earlier generations counted. */
static void workers_release_slots(void)
{
	if (parent_state == PARENT_SERVES && segment && !workers_have_old())
		segment_release_unused(segment);
	if (parent_state == PARENT_SERVES && !workers_have_old())
		stick_memory_release_unused();
}

void worker_free(struct worker *w)
{
	if (w->row >= 0)
		tally_fold_row((unsigned)w->row);
	list_remove(&w->node);
	free(w);
	workers_release_slots();
}

/* Those that wait to be forked need not come. */
void workers_forget_waiting(void)
{
	struct worker *w, *next;

	list_for_each_safe(w, next, &workers, node) {
		if (w->state != WORKER_WAITS) {
			w->state = WORKER_FINISHES;
			continue;
		}
		list_remove(&w->node);
		free(w);
	}
}

/* ---- what they do ------------------------------------------------------------------------ */

/* One worker checks the servers for all, and speaks with peers: the lowest that serves when one is
 * needed, until it ends. It is told through the log, so that nobody else goes on. */
void workers_choose_checker(void)
{
	struct worker *w, *best = NULL;

	if (parent_state == PARENT_STARTS && workers_have_old())
		return; /* that of the generation before goes on until it is relieved */
	list_for_each(w, &workers, node)
		if (w->state == WORKER_SERVES && !worker_is_old(w) && w->row >= 0 && (!best || w->row < best->row))
			best = w;
	if (!best || checker_row)
		return;
	checker_row = (uint32_t)best->row;
	change_submit(&checker_change, &checker_row, sizeof(checker_row), NULL, NULL);
}

/* Those of the generation before have none. */
void workers_are_present(void)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->channel && !worker_is_old(w) && w->state != WORKER_FINISHES)
			changes_set_old(w->channel, false);
}

/* Those of the generation before have successors. */
void workers_relieve(unsigned max_reloads)
{
	const uint8_t all = process_kept_all;
	struct worker *w;

	list_for_each(w, &workers, node) {
		if (!worker_is_old(w))
			continue;
		if (w->state != WORKER_FINISHES) {
			w->may_accept = w->channel && channel_send(w->channel, MSG_FINISH, 0, &all, 1, -1) == 0;
			if (!w->may_accept)
				kill(w->pid, SIGUSR1);
		}
		w->state = WORKER_FINISHES;
		if (max_reloads && process_self.generation - w->generation > max_reloads)
			kill(w->pid, SIGTERM);
	}
}
