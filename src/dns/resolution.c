/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run asks all name servers of the section at once, and takes the first answer that has records.
 * When all have failed it asks for the other family, then, "timeout retry" later, begins again;
 * after so many tries ("resolve_retries") the run has failed. Silence is waited for by "timeout
 * retry", and does not lead to the other family. Who wants one family alone takes "there is none"
 * for an answer: the run ends with the try. What is held are the records of the last answers: one
 * answer may not have them all, so each is held for "hold obsolete" behind the answer that had it
 * last.
 *
 * Requesters are told by a task, never from within a socket's event.
 */
#include "dns/resolution.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/hash.h"
#include "dns/nameserver.h"
#include "dns/resolvers.h"

#include <stdlib.h>
#include <string.h>

enum { RESOLUTIONS_MOST = 65536 /* of this process */, BUCKETS = 4096,
       RUNS_PER_MS = 32 }; /* that are begun: name servers lose what comes in one burst */

struct resolution_attempt {
	struct dns_query query;
	struct resolution *resolution;
	struct nameserver *ns;
	bool stream;
};

static unsigned resolutions;
static struct list buckets[BUCKETS]; /* by name; zeroed: none has been in it yet */

/* ---- life ----------------------------------------------------------------------------------- */

static void attempts_end(struct resolution *res)
{
	unsigned i;

	for (i = 0; i < res->resolvers->count; i++)
		nameserver_forget(&res->attempts[i].query);
	res->waiting = 0;
}

void resolution_drop(struct resolution *res)
{
	unsigned i;

	for (i = 0; i < res->count; i++)
		free((char *)res->held[i].record.target);
	res->count = 0;
}

static void resolution_free(struct resolution *res)
{
	attempts_end(res);
	resolution_drop(res);
	timer_cancel(&res->timer);
	task_cancel(&res->task);
	list_remove(&res->node);
	list_remove(&res->bucket);
	free(res->held);
	free(res->attempts);
	free(res);
	resolutions--;
}

/* An answer that may be used again is kept for a while. */
static void free_if_unwanted(struct resolution *res)
{
	bool keeps = res->status == STATUS_VALID &&
		     clock_now_ms < res->valid_ms + res->resolvers->hold_ms[HOLD_VALID];

	if (res->telling || !list_empty(&res->requesters))
		return;
	if (!keeps) {
		resolution_free(res);
		return;
	}
	attempts_end(res);
	res->runs = res->paced = false;
	timer_set(&res->timer, res->valid_ms + res->resolvers->hold_ms[HOLD_VALID]);
}

void resolution_leave(struct dns_requester *r)
{
	struct resolution *res = r->resolution;

	if (!res)
		return;
	list_remove(&r->node);
	r->resolution = NULL;
	free_if_unwanted(res);
}

void resolutions_end(struct resolvers *resolvers)
{
	struct dns_requester *r;
	struct resolution *res;
	struct nameserver *ns;

	while (!list_empty(&resolvers->resolutions)) {
		res = list_first(&resolvers->resolutions, struct resolution, node);
		while (!list_empty(&res->requesters)) {
			r = list_first(&res->requesters, struct dns_requester, node);
			list_remove(&r->node);
			r->resolution = NULL;
		}
		resolution_free(res);
	}
	for (ns = resolvers->nameservers; ns; ns = ns->next)
		nameserver_close(ns);
}

/* ---- the end of a run ------------------------------------------------------------------------ */

static bool wants_again(const struct resolution *res)
{
	const struct dns_requester *r;

	list_for_each(r, &res->requesters, node)
		if (r->again)
			return true;
	return false;
}

static void tell(struct task *task)
{
	struct resolution *res = container_of(task, struct resolution, task);
	struct list waiting = LIST_INIT(waiting);
	struct dns_requester *r;

	res->telling = true;
	while (!list_empty(&res->requesters)) {
		r = list_first(&res->requesters, struct dns_requester, node);
		list_remove(&r->node);
		list_append(&waiting, &r->node);
	}
	while (!list_empty(&waiting)) {
		r = list_first(&waiting, struct dns_requester, node);
		list_remove(&r->node);
		if (r->again)
			list_append(&res->requesters, &r->node);
		else
			r->resolution = NULL;
		r->resolved(r, res);
	}
	res->telling = false;
	res->changed = false;
	free_if_unwanted(res);
}

static void run_ends(struct resolution *res, enum dns_status status)
{
	attempts_end(res);
	res->runs = false;
	res->status = status;
	timer_set(&res->timer, clock_now_ms + res->resolvers->resolve_ms);
	task_wake(&res->task);
}

/* ---- what is held ----------------------------------------------------------------------------- */

static bool same_record(const struct dns_record *a, const struct dns_record *b)
{
	if (a->target)
		return a->port == b->port && !strcmp(a->target, b->target);
	return addr_equal(&a->v4, &b->v4) && addr_equal(&a->v6, &b->v6);
}

/* Of a service: what stands beside its name and port. */
static bool same_service(const struct dns_record *a, const struct dns_record *b)
{
	return a->priority == b->priority && a->weight == b->weight && addr_equal(&a->v4, &b->v4) &&
	       addr_equal(&a->v6, &b->v6);
}

static struct dns_held *held_find(struct resolution *res, const struct dns_record *record)
{
	unsigned i;

	for (i = 0; i < res->count; i++)
		if (same_record(&res->held[i].record, record))
			return &res->held[i];
	return NULL;
}

static bool held_room(struct resolution *res)
{
	unsigned room = res->room ? 2 * res->room : 4;
	struct dns_held *more;

	if (res->count < res->room)
		return true;
	more = realloc(res->held, room * sizeof(*more));
	if (!more)
		return false;
	res->held = more;
	res->room = room;
	return true;
}

/* Without memory it is left out, until the next answer. */
static void held_add(struct resolution *res, const struct dns_record *record)
{
	char *target = record->target ? strdup(record->target) : NULL;

	if ((record->target && !target) || !held_room(res)) {
		free(target);
		return;
	}
	res->held[res->count] = (struct dns_held){ .record = *record, .seen_ms = clock_now_ms };
	res->held[res->count++].record.target = target;
	res->changed = true;
}

static void held_take(struct resolution *res, const struct dns_record *record)
{
	struct dns_held *held = held_find(res, record);
	const char *target;

	if (!held) {
		held_add(res, record);
		return;
	}
	held->seen_ms = clock_now_ms;
	if (record->target && !same_service(&held->record, record)) {
		target = held->record.target;
		held->record = *record;
		held->record.target = target;
		res->changed = true;
	}
}

static void held_remove_old(struct resolution *res)
{
	unsigned i, n = 0, hold = res->resolvers->hold_ms[HOLD_OBSOLETE];

	for (i = 0; i < res->count; i++) {
		if (res->held[i].seen_ms != clock_now_ms && clock_now_ms - res->held[i].seen_ms >= hold)
			free((char *)res->held[i].record.target);
		else
			res->held[n++] = res->held[i];
	}
	res->changed |= n < res->count;
	res->count = n;
}

static void take_answer(struct resolution *res, const struct nameserver *ns,
			const struct dns_answer_records *answer)
{
	unsigned i;

	for (i = 0; i < answer->count; i++)
		held_take(res, &answer->record[i]);
	held_remove_old(res);
	res->changed |= res->status != STATUS_VALID;
	if (res->changed)
		nameserver_add(ns, COUNT_update);
	res->valid_ms = clock_now_ms;
	res->by = ns;
	run_ends(res, STATUS_VALID);
}

bool resolution_holds(const struct resolution *res)
{
	static const enum dns_hold holds[] = {
		[STATUS_NX] = HOLD_NX, [STATUS_REFUSED] = HOLD_REFUSED, [STATUS_TIMEOUT] = HOLD_TIMEOUT,
		[STATUS_OTHER] = HOLD_OTHER,
	};

	if (res->status <= STATUS_VALID)
		return true;
	return res->valid_ms &&
	       clock_now_ms - res->valid_ms < res->resolvers->hold_ms[holds[res->status]];
}

/* ---- a try ------------------------------------------------------------------------------------ */

static void ask_all(struct resolution *res)
{
	unsigned char bytes[DNS_QUESTION_MOST];
	unsigned i;
	size_t len = dns_question_write(res->name, res->type, 0, (unsigned)res->resolvers->payload, bytes);

	res->error = STATUS_TIMEOUT;
	res->certain = false;
	res->waiting = 0;
	timer_set(&res->timer, clock_now_ms + res->resolvers->retry_ms);
	for (i = 0; len && i < res->resolvers->count; i++) {
		struct resolution_attempt *a = &res->attempts[i];

		a->stream = a->ns->stream;
		if (!nameserver_ask(a->ns, &a->query, bytes, len, a->stream))
			res->waiting++;
	}
}

static void run_begins(struct resolution *res)
{
	res->runs = true;
	res->paced = false;
	res->tries = 0;
	res->type = res->wanted;
	res->other_family = false;
	ask_all(res);
}

/* The next one waits for the timer, when it is not its time yet. */
static void try_failed(struct resolution *res, bool timer_has_fired)
{
	if (res->alone && res->certain) {
		run_ends(res, res->error);
		return;
	}
	if (res->error != STATUS_TIMEOUT && res->type != DNS_SRV && !res->alone &&
	    !res->other_family) {
		res->other_family = true;
		res->type = res->type == DNS_A ? DNS_AAAA : DNS_A;
		ask_all(res);
		return;
	}
	res->other_family = false;
	res->type = res->wanted;
	if (++res->tries >= res->resolvers->retries)
		run_ends(res, res->error);
	else if (timer_has_fired)
		ask_all(res);
}

static void attempt_failed(struct resolution_attempt *a, enum nameserver_count count,
			   enum dns_status error)
{
	struct resolution *res = a->resolution;

	nameserver_add(a->ns, count);
	nameserver_forget(&a->query);
	res->error = error;
	if (!--res->waiting)
		try_failed(res, false);
}

/* The answer did not fit: it is asked for again over TCP, which takes its own time. */
static void attempt_cut(struct resolution_attempt *a)
{
	struct resolution *res = a->resolution;
	unsigned char bytes[DNS_QUESTION_MOST];
	size_t len = dns_question_write(res->name, res->type, 0, (unsigned)res->resolvers->payload, bytes);

	if (a->stream || !len) {
		attempt_failed(a, COUNT_truncated, STATUS_OTHER);
		return;
	}
	nameserver_add(a->ns, COUNT_truncated);
	nameserver_forget(&a->query);
	a->stream = true;
	if (nameserver_ask(a->ns, &a->query, bytes, len, true))
		attempt_failed(a, COUNT_other, STATUS_OTHER);
	else
		timer_set(&res->timer, clock_now_ms + res->resolvers->retry_ms);
}

static void attempt_finds_none(struct resolution_attempt *a, enum nameserver_count count,
			       enum dns_status error)
{
	a->resolution->certain = true;
	attempt_failed(a, count, error);
}

static void heard(struct dns_query *query, struct span bytes)
{
	struct resolution_attempt *a = container_of(query, struct resolution_attempt, query);
	struct resolution *res = a->resolution;
	const struct dns_answer_records *answer;

	if (!bytes.len) {
		attempt_failed(a, COUNT_snd_error, STATUS_OTHER);
		return;
	}
	if (!a->stream && bytes.len > (size_t)res->resolvers->payload) {
		attempt_failed(a, COUNT_too_big, STATUS_OTHER);
		return;
	}
	switch (dns_answer_read(bytes, res->name, res->type, &answer)) {
	case DNS_SAID_RECORDS:
		nameserver_add(a->ns, COUNT_valid);
		take_answer(res, a->ns, answer);
		return;
	case DNS_SAID_NONE:
		attempt_finds_none(a, COUNT_any_err, STATUS_OTHER);
		return;
	case DNS_SAID_ALIAS:
		attempt_finds_none(a, COUNT_cname, STATUS_OTHER);
		return;
	case DNS_SAID_ALIAS_WRONG:
		attempt_failed(a, COUNT_cname_error, STATUS_OTHER);
		return;
	case DNS_SAID_NX:
		attempt_finds_none(a, COUNT_nx, STATUS_NX);
		return;
	case DNS_SAID_REFUSED:
		attempt_failed(a, COUNT_refused, STATUS_REFUSED);
		return;
	case DNS_SAID_OTHER:
		attempt_failed(a, COUNT_other, STATUS_OTHER);
		return;
	case DNS_SAID_INVALID:
		attempt_failed(a, COUNT_invalid, STATUS_OTHER);
		return;
	case DNS_SAID_TRUNCATED:
		attempt_cut(a);
		return;
	case DNS_SAID_FOREIGN: /* the true one may still come */
		nameserver_add(a->ns, COUNT_invalid);
		return;
	}
}

static void time_over(struct resolution *res)
{
	unsigned i;

	if (!res->waiting) { /* none could be asked, or the try has failed before */
		if (res->error == STATUS_TIMEOUT)
			try_failed(res, true);
		else
			ask_all(res);
		return;
	}
	for (i = 0; i < res->resolvers->count; i++)
		if (res->attempts[i].query.port)
			nameserver_add(res->attempts[i].ns, COUNT_timeout);
	attempts_end(res);
	try_failed(res, true);
}

/* The ms in which one more run may begin. */
static uint64_t pace_ms(void)
{
	static uint64_t at_ms;
	static unsigned runs;

	if (at_ms < clock_now_ms) {
		at_ms = clock_now_ms;
		runs = 0;
	}
	if (runs == RUNS_PER_MS) {
		at_ms++;
		runs = 0;
	}
	runs++;
	return at_ms;
}

/* Many that are due at once are spread, and stay so. */
static void run_begins_soon(struct resolution *res)
{
	uint64_t at_ms = pace_ms();

	if (at_ms <= clock_now_ms) {
		run_begins(res);
		return;
	}
	res->paced = true;
	timer_set(&res->timer, at_ms);
}

static void fire(struct timer *timer)
{
	struct resolution *res = container_of(timer, struct resolution, timer);

	if (res->runs)
		time_over(res);
	else if (res->paced)
		run_begins(res);
	else if (wants_again(res))
		run_begins_soon(res);
	else
		free_if_unwanted(res);
}

void resolution_hurry(struct resolution *res)
{
	if (!res->runs && !res->paced && !task_queued(&res->task))
		run_begins_soon(res);
}

/* ---- wanting ---------------------------------------------------------------------------------- */

static struct list *bucket_of(const char *name)
{
	struct list *bucket = &buckets[hash_wt6(name, strlen(name)) % BUCKETS];

	if (!bucket->next)
		list_init(bucket);
	return bucket;
}

static struct resolution *find(const struct resolvers *resolvers, const char *name,
			       enum dns_type type, bool alone)
{
	struct resolution *res;

	list_for_each(res, bucket_of(name), bucket)
		if (res->resolvers == resolvers && res->wanted == type && res->alone == alone &&
		    !strcmp(res->name, name))
			return res;
	return NULL;
}

static bool attempts_new(struct resolution *res)
{
	struct nameserver *ns = res->resolvers->nameservers;
	unsigned i;

	res->attempts = calloc(res->resolvers->count + 1, sizeof(*res->attempts));
	for (i = 0; res->attempts && ns; ns = ns->next, i++) {
		res->attempts[i].resolution = res;
		res->attempts[i].ns = ns;
		res->attempts[i].query.heard = heard;
		list_init(&res->attempts[i].query.node);
	}
	return res->attempts;
}

static struct resolution *resolution_new(struct resolvers *resolvers, const char *name,
					 enum dns_type type)
{
	size_t size = strlen(name) + 1;
	struct resolution *res = resolutions < RESOLUTIONS_MOST ? calloc(1, sizeof(*res) + size) : NULL;

	if (!res)
		return NULL;
	res->resolvers = resolvers;
	res->wanted = type;
	memcpy(res->name, name, size);
	if (!attempts_new(res)) {
		free(res);
		return NULL;
	}
	list_init(&res->requesters);
	timer_init(&res->timer, fire);
	task_init(&res->task, tell);
	list_append(&resolvers->resolutions, &res->node);
	list_append(bucket_of(name), &res->bucket);
	resolutions++;
	return res;
}

static bool still_holds(const struct resolution *res)
{
	return res->status == STATUS_VALID &&
	       clock_now_ms - res->valid_ms < res->resolvers->hold_ms[HOLD_VALID];
}

const struct resolution *resolution_at_hand(const struct resolvers *resolvers, const char *name,
					    enum dns_type type)
{
	const struct resolution *res = find(resolvers, name, type, true);

	return res && still_holds(res) ? res : NULL;
}

struct resolution *resolution_want(struct resolvers *resolvers, const char *name, enum dns_type type,
				   struct dns_requester *r)
{
	struct resolution *res = find(resolvers, name, type, r->alone);

	BUG_ON(r->resolution);
	if (res && !r->again && still_holds(res))
		return res;
	if (!res)
		res = resolution_new(resolvers, name, type);
	if (!res)
		return NULL;
	res->alone = r->alone;
	r->resolution = res;
	list_append(&res->requesters, &r->node);
	if (r->again)
		resolution_hurry(res);
	else if (!res->runs && !task_queued(&res->task))
		run_begins(res);
	return NULL;
}
