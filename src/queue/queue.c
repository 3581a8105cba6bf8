/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues of streams that wait for a slot of a server, in the order in which they are to be served.
 * Each backend numbers its entries, so that those who wait for one server and those who wait for
 * any can be compared: of the same priority the one that came first. Entries belong to the streams;
 * whoever ends a stream takes its entry out.
 *
 * Each process has queues of its own and shows the others whom it would serve first (waiters.c).
 * Who joins a queue looks for a slot once more after it was shown, in the next turn; whoever finds
 * a free slot that somebody elsewhere is to have first wakes that process; and nobody leaves a
 * server with a free slot without having done so.
 */
#include "queue/queue.h"

#include "base/clock.h"
#include "config/module.h"
#include "event/loop.h"
#include "proxy/sums.h"
#include "queue/waiters.h"
#include "share/wake.h"
#include "tally/tally.h"
#include "tally/top.h"

/* ---- joining and leaving --------------------------------------------------------------- */

static void count_in(const struct queue_entry *entry)
{
	struct proxy_tally *be = entry->proxy->be;
	struct server_tally *tally;

	be->total_queued++;
	if (entry->server) {
		tally = entry->server->tally;
		tally->queued++;
		tally_raise(&tally->counters.queue_max, &tally->counters.queue_top, &tally->queued,
			    0);
	} else {
		be->queued++;
		tally_raise(&be->counters.queue_max, &be->counters.queue_top, &be->queued, 0);
	}
}

static void tell_load(struct server *server)
{
	if (server && server_hooks.load_changed)
		server_hooks.load_changed(server);
}

/* Is a served before b? */
static bool comes_before(const struct queue_entry *a, const struct queue_entry *b)
{
	if (a->priority_class != b->priority_class)
		return a->priority_class < b->priority_class;
	if (a->due_ms != b->due_ms)
		return (int64_t)(a->due_ms - b->due_ms) < 0;
	return a->ticket < b->ticket;
}

/* Nearly always at the end. */
static void put_in(struct list *queue, struct queue_entry *entry)
{
	struct list *at = queue->prev;

	while (at != queue && comes_before(entry, container_of(at, struct queue_entry, node)))
		at = at->prev;
	list_append(at->next, &entry->node);
}

static struct queue_entry *first_of(const struct list *queue)
{
	return list_empty(queue) ? NULL : list_first(queue, struct queue_entry, node);
}

static uint64_t key_of(const struct queue_entry *entry)
{
	return entry ? waiter_key(entry->priority_class, entry->due_ms) : 0;
}

static void show_first(const struct proxy *px, const struct server *s)
{
	waiters_show(px, s, key_of(first_of(s ? &s->queue : &px->queue)));
}

static struct task look_task;
static struct wake woken;

static void look_now(struct task *task)
{
	(void)task;
	queues_look();
}

static void was_woken(struct wake *wake)
{
	(void)wake;
	queues_look();
}

void queue_watch(void)
{
	if (!woken.run)
		wake_watch(&woken, was_woken);
}

/* In the next turn, since this one may be in the middle of an assignment. */
static void look_soon(struct proxy *px)
{
	px->queue_look = true;
	if (!look_task.run)
		task_init(&look_task, look_now);
	queue_watch();
	waiters_lost_patience = queues_look;
	task_wake(&look_task);
}

void queue_join(struct queue_entry *entry, struct proxy *proxy, struct server *server)
{
	BUG_ON(entry->proxy != NULL);
	entry->proxy = proxy;
	entry->server = server;
	entry->ticket = proxy->queue_ticket++;
	entry->joined = server ? server->queue_served : proxy->queue_served;
	entry->due_ms = clock_now_ms + (uint64_t)(int64_t)entry->offset_ms;
	put_in(server ? &server->queue : &proxy->queue, entry);
	count_in(entry);
	if (tally_shared)
		show_first(proxy, server);
	if (tally_shared || proxy->strict)
		look_soon(proxy);
	tell_load(server);
}

static void take_out(struct queue_entry *entry)
{
	struct server *server = entry->server;

	list_remove(&entry->node);
	show_first(entry->proxy, server);
	entry->proxy->be->total_queued--;
	if (entry->server) {
		entry->server->tally->queued--;
		entry->turn_server = (unsigned)(entry->server->queue_served - entry->joined) + 1;
	} else {
		entry->proxy->be->queued--;
		entry->turn_backend = (unsigned)(entry->proxy->queue_served - entry->joined) + 1;
	}
	entry->proxy = NULL;
	entry->server = NULL;
	tell_load(server);
}

/* The slot that it was woken for may be another's now. */
void queue_leave(struct queue_entry *entry)
{
	if (!entry->proxy)
		return;
	if (tally_shared)
		look_soon(entry->proxy);
	take_out(entry);
}

/* ---- slots ----------------------------------------------------------------------------- */

bool server_queue_full(const struct server *server)
{
	return server->set.maxqueue && server_queued(server) >= server->set.maxqueue;
}

/* Backup servers take from the backend's queue only what would be balanced to them. */
static bool takes_from_backend(const struct server *server)
{
	const struct proxy *px = server->proxy;
	const struct server *s;

	if (!server_usable(server))
		return false;
	if (!(server->set.options.on & SRV_BACKUP))
		return true;
	for (s = px->servers; s; s = s->next)
		if (server_usable(s) && !(s->set.options.on & SRV_BACKUP))
			return false;
	if (px->set.options.on & OPT_ALLBACKUPS)
		return true;
	for (s = px->servers; s != server; s = s->next)
		if (server_usable(s))
			return false;
	return true;
}

/* The first that this server may serve; NULL: none. */
static struct queue_entry *next_for(const struct server *server)
{
	struct queue_entry *own = first_of(&server->queue), *any = NULL;

	if (!list_empty(&server->proxy->queue) && takes_from_backend(server))
		any = first_of(&server->proxy->queue);
	if (!own || !any)
		return own ? own : any;
	return comes_before(own, any) ? own : any;
}

static void offer(struct queue_entry *entry, struct server *server)
{
	uint64_t *served = entry->server ? &server->queue_served : &server->proxy->queue_served;

	take_out(entry);
	(*served)++;
	entry->offered(entry, server);
}

bool queue_others_wait(const struct server *server)
{
	return waiters_before(server, takes_from_backend(server), UINT64_MAX);
}

/* With a limit that holds for all processes together. */
static unsigned serve_shared(struct server *server)
{
	struct queue_entry *entry;
	unsigned n = 0;

	while (server_has_slot(server)) {
		entry = next_for(server);
		if (!entry) {
			queue_others_wait(server);
			return n;
		}
		if (waiters_before(server, takes_from_backend(server), key_of(entry)))
			return n;
		if (!slot_take(server)) {
			look_soon(server->proxy);
			return n;
		}
		offer(entry, server);
		n++;
	}
	return n;
}

unsigned queue_serve(struct server *server)
{
	struct queue_entry *entry;
	unsigned n = 0;

	if (server->state->op == SERVER_DOWN)
		return 0;
	if (tally_shared && server->state->maxconn)
		return serve_shared(server);
	if (!server->proxy->be->total_queued)
		return 0;
	while (server->state->op != SERVER_DOWN && (entry = next_for(server)) &&
	       slot_take(server)) {
		offer(entry, server);
		n++;
	}
	return n;
}

/* Connections that wait make room: where fewer are allowed now, and for one who waits elsewhere. */
static void make_room(struct server *s)
{
	while (s->idle_slots && slots_exceed(s))
		server_hooks.make_room(s);
	if (s->idle_slots && tally_shared && queue_others_wait(s))
		server_hooks.make_room(s);
}

/* Who waits here has those look who keep what is waited for. */
static void call_keepers(const struct proxy *px)
{
	const struct server *s;

	for (s = px->servers; s; s = s->next)
		if (slot_is_strict(s) && next_for(s))
			waiters_call_keepers(s);
}

static void look_at(struct proxy *px)
{
	struct server *s;

	px->queue_look = false;
	for (s = px->servers; s; s = s->next) {
		if (slot_is_strict(s))
			make_room(s);
		queue_serve(s);
	}
	if (px->strict && tally_shared && px->be->total_queued)
		call_keepers(px);
}

void queues_look(void)
{
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (px->be && (px->queue_look || px->strict || px->be->total_queued))
			look_at(px);
}

unsigned queue_flush(struct server *server)
{
	unsigned left = server->tally->queued, n;
	struct queue_entry *entry;

	/* Those who come back to it meanwhile are not asked again. */
	for (n = 0; n < left && (entry = first_of(&server->queue)); n++) {
		take_out(entry);
		entry->offered(entry, NULL);
	}
	return n;
}

/* ---- servers --------------------------------------------------------------------------- */

void queue_follow_servers(void)
{
	server_hooks.has_room = queue_serve;
	server_hooks.takes_none = queue_flush;
}

static int queue_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg, (void)data, (void)err;
	queue_follow_servers();
	return 0;
}

const struct module queue_module = { .name = "queue", .start = queue_start };
