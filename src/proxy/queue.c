/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues of streams that wait for a slot of a server, in the order in which they are to be served.
 * Each backend numbers its entries, so that those who wait for one server and those who wait for any
 * can be compared: of the same priority the one that came first. Entries belong to the streams;
 * whoever ends a stream takes its entry out.
 */
#include "proxy/queue.h"

#include "base/clock.h"
#include "proxy/tally.h"

static void count_in(const struct queue_entry *entry)
{
	struct proxy_tally *be = entry->proxy->be;
	struct server_tally *tally;

	be->total_queued++;
	if (entry->server) {
		tally = entry->server->tally;
		tally->queued++;
		tally_raise(&tally->counters.queue_max, &tally->counters.queue_top, &tally->queued);
	} else {
		be->queued++;
		tally_raise(&be->counters.queue_max, &be->counters.queue_top, &be->queued);
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
	tell_load(server);
}

void queue_leave(struct queue_entry *entry)
{
	struct server *server = entry->server;

	if (!entry->proxy)
		return;
	list_remove(&entry->node);
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

unsigned queue_position(const struct queue_entry *entry)
{
	const struct list *head, *n;
	unsigned position = 0;

	if (!entry->proxy)
		return 0;
	head = entry->server ? &entry->server->queue : &entry->proxy->queue;
	for (n = entry->node.prev; n != head; n = n->prev)
		position++;
	return position;
}

bool server_has_slot(const struct server *server)
{
	unsigned limit = server_dynamic_maxconn(server);

	return !limit || server->tally->current < limit;
}

bool server_queue_full(const struct server *server)
{
	return server->set.maxqueue && server->tally->queued >= server->set.maxqueue;
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

static struct queue_entry *first_of(const struct list *queue)
{
	return list_empty(queue) ? NULL : list_first(queue, struct queue_entry, node);
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

unsigned queue_serve(struct server *server)
{
	struct queue_entry *entry;
	uint64_t *served;
	unsigned n = 0;

	if (!server->proxy->be->total_queued)
		return 0;
	while (server->state->op != SERVER_DOWN && server_has_slot(server) &&
	       (entry = next_for(server))) {
		served = entry->server ? &server->queue_served : &server->proxy->queue_served;
		queue_leave(entry);
		(*served)++;
		entry->offered(entry, server);
		n++;
	}
	return n;
}

unsigned queue_flush(struct server *server)
{
	unsigned left = server->tally->queued, n;
	struct queue_entry *entry;

	/* Those who come back to it meanwhile are not asked again. */
	for (n = 0; n < left && (entry = first_of(&server->queue)); n++) {
		queue_leave(entry);
		entry->offered(entry, NULL);
	}
	return n;
}
