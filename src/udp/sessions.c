/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of sessions: the table in which datagrams find them, the choice of a server, the lists in
 * which they grow old, and their end. Called for each batch by port.c. A session is in a table (the
 * one in which datagrams find it, or that of those apart), in one list of its port, in the poller,
 * and counted at frontend, listener, backend and server, all from udp_session_begin to
 * udp_session_end.
 */
#include "udp/session.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/siphash.h"
#include "dgram/beside.h"
#include "dgram/errors.h"
#include "dgram/quarantine.h"
#include "dgram/rows.h"
#include "expr/state.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "queue/slot.h"
#include "share/segment.h"
#include "stream/place.h"
#include "tally/tally.h"
#include "tally/top.h"
#include "udp/answers.h"
#include "udp/beside.h"
#include "udp/lb.h"
#include "udp/log.h"
#include "udp/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

static struct pool session_pool = POOL_INIT("udp session", sizeof(struct udp_session));
static uint64_t secret[2];
struct udp_sessions_stats udp_stats;
void (*udp_forward)(struct udp_session *s);

_Static_assert(sizeof(struct udp_session) <= 250, "an idle session is small");

/* ---- the table --------------------------------------------------------------------------- */

static struct udp_session **chain_of(const struct udp_lb *lb, const struct dgram_key *key)
{
	return &lb->table[(uint32_t)siphash_quick(secret, key, sizeof(*key)) & lb->mask];
}

struct udp_session *udp_session_find(const struct udp_lb *lb, const struct dgram_key *key)
{
	struct udp_session *s = *chain_of(lb, key);

	while (s && memcmp(&s->key, key, sizeof(*key)) != 0)
		s = s->next;
	return s;
}

/* Those apart have numbers in a row, however many of them one client has. */
static struct udp_session **own_chain(const struct udp_session *s)
{
	const struct udp_lb *lb = s->port->lb;

	return s->apart ? &lb->apart[s->id & lb->mask] : chain_of(lb, &s->key);
}

static void table_add(struct udp_session *s)
{
	struct udp_session **chain = own_chain(s);

	s->next = *chain;
	*chain = s;
}

static void table_remove(struct udp_session *s)
{
	struct udp_session **at = own_chain(s);

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
}

/* What its client sends next begins another one. */
static void table_part(struct udp_session *s)
{
	table_remove(s);
	s->apart = true;
	table_add(s);
}

/* ---- time -------------------------------------------------------------------------------- */

static unsigned turn_ms(const struct udp_lb *lb, unsigned turn)
{
	const struct timeouts *t = &lb->proxy->set.timeout;

	return turn == UDP_CLIENT ? t->client : t->server;
}

uint64_t udp_session_deadline(const struct udp_session *s)
{
	return s->last_ms + turn_ms(s->port->lb, s->turn);
}

/* Those whose time is over end. Returns when the next one's is; 0: there is none. */
static uint64_t expire_turn(struct udp_port *port, unsigned turn)
{
	unsigned ms = turn_ms(port->lb, turn);
	struct list *list = &port->turns[turn];
	struct udp_session *s;

	while (!list_empty(list)) {
		s = list_first(list, struct udp_session, node);
		if (s->last_ms + ms > clock_now_ms)
			return s->last_ms + ms;
		udp_session_end(s, turn == UDP_CLIENT ? END_CLIENT_TIMEOUT : END_SERVER_TIMEOUT);
	}
	return 0;
}

static void sessions_timer(struct timer *timer)
{
	struct udp_lb *lb = container_of(timer, struct udp_lb, timer);
	struct udp_port *port;
	uint64_t when;
	unsigned turn;

	list_for_each(port, &lb->ports, node)
		for (turn = 0; turn < UDP_TURNS; turn++) {
			when = expire_turn(port, turn);
			if (when)
				timer_set_by(&lb->timer, when);
		}
}

static void turn_leave(struct udp_session *s)
{
	s->port->unanswered -= s->turn == UDP_UNANSWERED;
	list_remove(&s->node);
}

static void turn_join(struct udp_session *s, unsigned turn)
{
	s->port->unanswered += turn == UDP_UNANSWERED;
	s->turn = (uint8_t)turn;
	list_append(&s->port->turns[turn], &s->node);
	timer_set_by(&s->port->lb->timer, s->last_ms + turn_ms(s->port->lb, turn));
}

/* The timer may be early: it looks at the heads of the lists. */
void udp_session_touch(struct udp_session *s, enum udp_turn turn)
{
	if (s->left)
		return;
	if (turn == UDP_SERVER && !s->responses)
		turn = UDP_UNANSWERED;
	s->last_ms = clock_now_ms;
	if (s->turn == turn && s->port->turns[turn].prev == &s->node)
		return;
	turn_leave(s);
	turn_join(s, turn);
}

static struct udp_session *older(const struct list *turn, struct udp_session *than)
{
	struct udp_session *s;

	if (list_empty(turn))
		return than;
	s = list_first(turn, struct udp_session, node);
	return !than || s->last_ms < than->last_ms ? s : than;
}

/* Who never gets an answer may have forged its address: such sessions may have a quarter of the
 * places, and make room for each other beyond. Fewer would not do: each session begins so, and must
 * live until its answer has come. */
static struct udp_session *first_to_go(const struct udp_lb *lb, const struct udp_port *only)
{
	struct udp_session *unanswered = NULL, *any = NULL;
	unsigned turn, count = 0, all = 0;
	const struct udp_port *p;

	list_for_each(p, &lb->ports, node) {
		if (only && p != only)
			continue;
		count += p->unanswered;
		all += p->dgram.listener->current;
		unanswered = older(&p->turns[UDP_UNANSWERED], unanswered);
		for (turn = 0; turn < UDP_TURNS; turn++)
			any = older(&p->turns[turn], any);
	}
	return lb->responses && count > all / 4 && unanswered ? unanswered : any;
}

/* port NULL: of the whole section. False: there is none. */
static bool evict(struct udp_lb *lb, const struct udp_port *port)
{
	struct udp_session *s = first_to_go(lb, port);

	if (!s)
		return false;
	udp_session_end(s, END_RESOURCE);
	return true;
}

/* The longest silent one that has a local port which the server may have. */
static bool evict_from(struct udp_lb *lb, const struct server *server)
{
	struct udp_session *s, *first = NULL;
	struct udp_port *port;
	unsigned turn;

	list_for_each(port, &lb->ports, node)
		for (turn = 0; turn < UDP_TURNS; turn++)
			list_for_each(s, &port->turns[turn], node)
				if (udp_server_shares_ports(lb, s->server, server)) {
					first = !first || s->last_ms < first->last_ms ? s : first;
					break;
				}
	if (first)
		udp_session_end(first, END_RESOURCE);
	return first != NULL;
}

/* ---- the server -------------------------------------------------------------------------- */

/* The port's own socket may be gone. */
int udp_session_client_fd(const struct udp_session *s)
{
	return s->beside ? dgram_beside_fd(s->beside) : s->port->dgram.listener->src.fd;
}

/* Have the local ports run out that its line names? */
static bool lacks_ports(const struct udp_lb *lb, const struct server *server,
			enum dial_result result, int error)
{
	return result == DIAL_SOURCE && error == EADDRINUSE && udp_server_has_ports(lb, server);
}

static bool lacks_descriptors(enum dial_result result, int error)
{
	return result == DIAL_RESOURCE && error != ENOMEM;
}

/* Makes room for one more try: sockets that wait close first, then a session ends. False: that was
 * not it, or there is no room to be made. */
static bool make_way(struct udp_lb *lb, struct server *server, enum dial_result result, int error)
{
	bool ports = lacks_ports(lb, server, result, error), made;

	if (!ports && !lacks_descriptors(result, error))
		return false;
	if (dgram_quarantine_drop())
		return true;
	made = ports ? evict_from(lb, server) : evict(lb, NULL);
	DROPPED(dgram_quarantine_drop(), "whether there was one: that of who was evicted");
	return made;
}

/* -1: counted. */
static int connect_server(struct udp_port *port, struct server *server, const struct addr *client,
			  const struct addr *local)
{
	enum dial_result result;
	unsigned tries;
	int fd = udp_server_forgets(port->lb, server) ? udp_spare_take(port->lb, server) : -1;

	if (fd >= 0)
		return fd;
	result = udp_server_dial(server, client, local, &fd);
	for (tries = 2; result != DIAL_STARTED && tries; tries--) {
		if (!make_way(port->lb, server, result, errno))
			break;
		result = udp_server_dial(server, client, local, &fd);
	}
	if (result == DIAL_STARTED) {
		dgram_errors_hear(fd, udp_server_addr(server, local).family);
		if (udp_gathers_answers(port->lb))
			dgram_rows_gather(fd);
		return fd;
	}
	server->tally->counters.failed_connections++;
	server->proxy->be->counters.failed_connections++;
	if (result == DIAL_REFUSED)
		udp_server_observe(server, OBSERVED_NOT_CONNECTED);
	return -1;
}

/* ---- the beginning ----------------------------------------------------------------------- */

/* Workers, and sockets of an address, divide a limit. Each may have one session: nobody else can
 * serve its clients. */
static unsigned share_of(unsigned limit, unsigned parts, unsigned part)
{
	unsigned share = limit / parts + (part < limit % parts);

	return share ? share : 1;
}

static unsigned section_share(const struct udp_lb *lb)
{
	unsigned worker = expr_process.number ? (unsigned)expr_process.number - 1 : 0;

	return share_of(lb->proxy->state->maxconn, segment_workers, worker);
}

static void make_room(struct udp_port *port)
{
	struct udp_lb *lb = port->lb;
	const struct listener *l = port->dgram.listener;

	while (lb->count >= section_share(lb) && evict(lb, NULL))
		;
	while (l->maxconn && l->current >= share_of(l->maxconn, l->shards, l->shard) &&
	       evict(lb, port))
		;
}

static void gauges(struct udp_port *port, int change)
{
	struct proxy *px = port->lb->proxy;
	struct listener *l = port->dgram.listener;

	port->lb->count += (unsigned)change;
	l->current += (unsigned)change;
	l->tally->current += (unsigned)change;
	px->fe->current += (unsigned)change;
	px->be->current += (unsigned)change;
}

static void count_begin(struct udp_port *port)
{
	struct proxy *px = port->lb->proxy;
	struct counters *fe = &px->fe->counters, *be = &px->be->counters;
	struct listener *l = port->dgram.listener;
	struct counters *lc = &l->tally->counters;

	gauges(port, 1);
	fe->connections++;
	fe->sessions++;
	rate_add(&fe->connection_rate, clock_now_ms, 1);
	rate_add(&fe->session_rate, clock_now_ms, 1);
	tally_raise(&fe->connections_max, &fe->connections_top, &px->fe->current,
		    px->state->maxconn < segment_workers ? segment_workers : px->state->maxconn);
	be->sessions++;
	rate_add(&be->session_rate, clock_now_ms, 1);
	tally_raise(&be->connections_max, &be->connections_top, &px->be->current, 0);
	lc->connections++;
	lc->sessions++;
	tally_raise(&lc->connections_max, &lc->connections_top, &l->tally->current, l->maxconn);
}

static struct udp_session *session_new(struct udp_port *port, const struct dgram_key *key,
				       struct server *server, const struct addr *local, int fd)
{
	static uint64_t next_id;
	struct udp_session *s = pool_take(&session_pool);

	if (!s)
		return NULL;
	s->src.fd = fd;
	s->src.ready = udp_server_ready;
	if (!udp_server_forgets(port->lb, server) && loop_add(&s->src, EPOLLIN) < 0) {
		pool_put(&session_pool, s);
		return NULL;
	}
	s->key = *key;
	s->port = port;
	s->server = server;
	s->server_addr = udp_server_addr(server, local);
	s->id = (uint64_t)segment_own_row << STREAM_ROW_SHIFT | UDP_ID_BIT | ++next_id;
	s->start_ms = s->last_ms = clock_now_ms;
	s->first = s->last = UDP_NONE;
	turn_join(s, UDP_UNANSWERED);
	return s;
}

static struct udp_session *begin(struct udp_port *port, const struct dgram_key *key,
				 struct span payload, const struct udp_wish *wish)
{
	struct addr client, local;
	struct server *server;
	struct udp_session *s;
	int fd;

	dgram_addrs(&port->dgram, key, &client, &local);
	make_room(port);
	server = udp_server_choose(port, &client, &local, payload, wish);
	if (!server) {
		port->lb->proxy->be->counters.failed_connections++;
		return NULL;
	}
	fd = connect_server(port, server, &client, &local);
	s = fd < 0 ? NULL : session_new(port, key, server, &local, fd);
	if (!s) {
		if (fd >= 0) {
			global_tally->no_memory++;
			close(fd);
		}
		slot_give(server);
		return NULL;
	}
	udp_server_count(server);
	count_begin(port);
	table_add(s);
	streams_hold();
	if (unlikely(port->dgram.leaves) && !udp_beside_open(s)) {
		udp_session_end(s, END_RESOURCE);
		return NULL;
	}
	return s;
}

struct udp_session *udp_session_begin(struct udp_port *port, const struct dgram_key *key,
				      struct span payload)
{
	return begin(port, key, payload, &(struct udp_wish){ 0 });
}

/* beside: of the one whose place it takes; NULL. */
static struct udp_session *begin_anew(struct udp_port *port, const struct dgram_key *key,
				      struct span payload, const struct udp_wish *wish,
				      struct dgram_beside *beside)
{
	struct udp_session *s = begin(port, key, payload, wish);

	if (s && beside && !s->beside)
		s->beside = dgram_beside_take(&beside);
	else
		dgram_beside_close(&beside);
	return s;
}

struct udp_session *udp_session_again(struct udp_session *s, struct span payload)
{
	struct udp_wish wish = { .avoid = s->server };
	struct udp_port *port = s->port;
	struct dgram_key key = s->key;
	struct server *failed = s->server;
	struct dgram_beside *beside = dgram_beside_take(&s->beside);

	udp_session_refused(s);
	s = begin_anew(port, &key, payload, &wish, beside);
	if (s && s->server != failed) {
		s->server->proxy->be->counters.redispatches++;
		failed->tally->counters.redispatches++;
	}
	return s;
}

/* ---- traffic ----------------------------------------------------------------------------- */

/* proxy-requests datagrams. */
static bool has_had_all(const struct udp_session *s)
{
	const struct udp_lb *lb = s->port->lb;

	return lb->requests && s->requests >= lb->requests;
}

/* Have all its datagrams had their answers, and will no more come? */
static bool complete(const struct udp_session *s)
{
	const struct udp_lb *lb = s->port->lb;

	if (lb->requests && !has_had_all(s) && !s->left)
		return false;
	return lb->responses >= 0 &&
	       s->responses >= (uint64_t)s->requests * (unsigned)lb->responses;
}

void udp_session_count_in(struct udp_session *s, unsigned n, uint64_t bytes)
{
	struct proxy *px = s->port->lb->proxy;

	s->requests += n;
	s->bytes_in += bytes;
	px->fe->counters.bytes_in += bytes;
	px->be->counters.bytes_in += bytes;
	s->port->dgram.listener->tally->counters.bytes_in += bytes;
	s->server->tally->counters.bytes_in += bytes;
	if (complete(s))
		udp_session_end(s, END_NORMAL);
	else if (has_had_all(s) && !s->apart && !udp_server_names_port(udp_lb_of(px), s->server))
		table_part(s);
}

void udp_session_count_out(struct udp_session *s, unsigned n, uint64_t bytes)
{
	struct proxy *px = s->port->lb->proxy;

	s->responses += n;
	s->bytes_out += bytes;
	px->fe->counters.bytes_out += bytes;
	px->be->counters.bytes_out += bytes;
	s->port->dgram.listener->tally->counters.bytes_out += bytes;
	s->server->tally->counters.bytes_out += bytes;
	global_tally->bytes_out += bytes;
	if (complete(s))
		udp_session_end(s, END_NORMAL);
}

void udp_session_refused(struct udp_session *s)
{
	s->server->tally->counters.failed_connections++;
	s->server->proxy->be->counters.failed_connections++;
	udp_server_observe(s->server, OBSERVED_NOT_CONNECTED);
	udp_session_end(s, END_SERVER_ABORT);
}

/* The server's socket leads to its old address. */
bool udp_session_is_astray(const struct udp_session *s)
{
	struct addr client, local = s->port->dgram.listener->addr, now;

	if (unlikely(addr_is_any(&s->server->state->addr)))
		udp_session_addrs(s, &client, &local);
	now = udp_server_addr(s->server, &local);
	return !addr_equal(&s->server_addr, &now);
}

/* Is an answer on its way, perhaps? */
static bool awaits(const struct udp_session *s)
{
	return s->port->lb->responses > 0 ? !complete(s) : s->turn != UDP_CLIENT;
}

bool udp_session_is_spent(const struct udp_session *s)
{
	return has_had_all(s) && !awaits(s);
}

/* The old one stays for what its server has been asked already, where it needs nothing for that
 * which the new one has to have. */
struct udp_session *udp_session_follow(struct udp_session *s, struct span payload)
{
	struct udp_wish wish = { .keep = s->server };
	struct udp_port *port = s->port;
	struct dgram_key key = s->key;
	struct dgram_beside *beside = dgram_beside_take(&s->beside);

	if (awaits(s) && !beside && server_has_slot(s->server) &&
	    !udp_server_names_port(port->lb, s->server)) {
		table_part(s);
		s->left = true;
	} else {
		udp_session_end(s, END_SERVER_DOWN);
	}
	return begin_anew(port, &key, payload, &wish, beside);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* Answers that are for its client may be about to leave, where a turn ends before its tasks. */
static void session_free(struct reap *reap)
{
	udp_answers_flush();
	pool_put(&session_pool, container_of(reap, struct udp_session, reap));
}

static void count_end(struct udp_session *s, enum reason reason)
{
	uint32_t total = (uint32_t)(clock_now_ms - s->start_ms);
	struct proxy *px = s->port->lb->proxy;

	mean_add(&s->server->tally->times.total, total);
	mean_add(&px->be->times.total, total);
	if (reason != END_SERVER_ABORT)
		return;
	px->fe->counters.server_aborts++;
	px->be->counters.server_aborts++;
	s->server->tally->counters.server_aborts++;
}

/* May its server still answer, to a port that another client's session could have then? */
static bool may_be_answered(const struct udp_session *s, enum reason reason)
{
	return s->src.registered && reason != END_SERVER_ABORT && !complete(s) &&
	       !udp_server_names_port(s->port->lb, s->server);
}

static void socket_leaves(struct udp_session *s, enum reason reason)
{
	int fd = s->src.fd;

	if (may_be_answered(s, reason)) {
		loop_remove(&s->src);
		dgram_quarantine(fd);
	} else {
		if (s->src.registered)
			loop_forget(&s->src);
		if (reason == END_NORMAL && udp_server_forgets(s->port->lb, s->server))
			udp_spare_give(s->port->lb, s->server, fd);
		else
			close(fd);
	}
	s->src.fd = -1;
}

void udp_session_end(struct udp_session *s, enum reason reason)
{
	if (s->first != UDP_NONE)
		udp_forward(s); /* the batch at hand has something for it */
	if (s->src.fd < 0)
		return; /* which has ended it */
	count_end(s, reason);
	udp_log(s, reason);
	table_remove(s);
	turn_leave(s);
	socket_leaves(s, reason);
	dgram_beside_close(&s->beside);
	udp_server_release(s->server);
	gauges(s->port, -1);
	loop_reap(&s->reap, session_free);
	streams_release();
}

/* ---- all of them ------------------------------------------------------------------------- */

void udp_sessions_each(struct udp_lb *lb, void (*fn)(struct udp_session *s, void *arg), void *arg)
{
	struct udp_session *s, *next;
	struct udp_port *port;
	unsigned turn;

	list_for_each(port, &lb->ports, node)
		for (turn = 0; turn < UDP_TURNS; turn++)
			list_for_each_safe(s, next, &port->turns[turn], node)
				fn(s, arg);
}

static void each_of_all(void (*fn)(struct udp_session *s, void *arg), void *arg)
{
	struct proxy *px;
	struct udp_lb *lb;

	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node) {
		lb = udp_lb_of(px);
		if (lb && lb->table)
			udp_sessions_each(lb, fn, arg);
	}
}

struct search {
	uint64_t id;
	struct udp_session *found;
	const struct server *server;
	enum reason reason;
};

static void match_id(struct udp_session *s, void *arg)
{
	struct search *search = arg;

	if (s->id == search->id)
		search->found = s;
}

struct udp_session *udp_session_by_id(uint64_t id)
{
	struct search search = { .id = id };

	if (id & UDP_ID_BIT)
		each_of_all(match_id, &search);
	return search.found;
}

static void end_one(struct udp_session *s, void *arg)
{
	const struct search *search = arg;

	if (!search->server || s->server == search->server)
		udp_session_end(s, search->reason);
}

void udp_sessions_end_server(const struct server *server, enum reason reason)
{
	struct search search = { .server = server, .reason = reason };
	struct udp_lb *lb = udp_lb_of(server->proxy);

	if (lb && lb->table)
		udp_sessions_each(lb, end_one, &search);
}

void udp_sessions_end_all(enum reason reason)
{
	struct search search = { .reason = reason };
	struct proxy *px;
	struct udp_lb *lb;
	unsigned i;

	each_of_all(end_one, &search);
	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node) {
		lb = udp_lb_of(px);
		for (i = 0; lb && i < UDP_SPARES; i++)
			udp_spare_drop(&lb->spares[i]);
	}
}

/* ---- the start --------------------------------------------------------------------------- */

int udp_sessions_start(struct udp_lb *lb, struct arena *arena)
{
	unsigned most = section_share(lb);
	size_t chains = 16;

	while (chains < most && chains < (1u << 24))
		chains *= 2;
	if (!secret[0] && getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -1;
	lb->table = arena_alloc(arena, chains * sizeof(*lb->table));
	lb->apart = arena_alloc(arena, chains * sizeof(*lb->apart));
	lb->mask = (uint32_t)chains - 1;
	timer_init(&lb->timer, sessions_timer);
	return 0;
}
