/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts stand in row 0 beside the tally of their slot (proxy/cell.h): results of checks, written by
 * the process that checks, and states, written by the parent before it executes itself anew. Each
 * part has a sequence number, odd while it is written. Who finds it odd for long and only shows,
 * keeps what it has; who takes over takes it as it is: its writer has died.
 */
#include "proxy/facts.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/hash.h"
#include "proxy/cell.h"
#include "proxy/check_target.h"
#include "proxy/eject_conf.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/servers_note.h"
#include "share/segment.h"
#include "tally/tally.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_TRIES = 100 };

struct facts_checker facts_checker;

enum { LISTENERS = 8 };
static void (*checker_listeners[LISTENERS])(bool active);

static void replace_listener(void (*old)(bool active), void (*new)(bool active))
{
	unsigned i;

	for (i = 0; i < LISTENERS && checker_listeners[i] != old; i++)
		;
	if (i < LISTENERS)
		checker_listeners[i] = new;
	else
		BUG_ON(new);
}

void facts_on_checker(void (*changed)(bool active))
{
	replace_listener(NULL, changed);
}

void facts_off_checker(void (*changed)(bool active))
{
	replace_listener(changed, NULL);
}

void facts_tell_checker(void)
{
	unsigned i;

	for (i = 0; i < LISTENERS; i++)
		if (checker_listeners[i])
			checker_listeners[i](facts_checker.here);
}

static struct server_cell *shared_server(const struct server *s)
{
	return segment_sibling(s->tally, segment_own_row, 0);
}

static struct proxy_cell *shared_backend(const struct proxy *px)
{
	return segment_sibling(px->be, segment_own_row, 0);
}

/* ---- sequence numbers ------------------------------------------------------------------ */

/* All kinds of facts begin with their number. Copies all behind it. */
static void write_facts(_Atomic uint32_t *sequence, const void *from, size_t size)
{
	const size_t head = sizeof(*sequence);
	uint32_t before = atomic_load(sequence) | 1;

	atomic_store(sequence, before);
	atomic_thread_fence(memory_order_release);
	memcpy((char *)sequence + head, (const char *)from + head, size - head);
	atomic_thread_fence(memory_order_release);
	atomic_store(sequence, before + 1 ? before + 1 : 2);
}

enum found { NEVER_WRITTEN, HALF_WRITTEN, WHOLE };

static enum found read_facts(const _Atomic uint32_t *sequence, void *to, size_t size)
{
	unsigned tries = 0;
	uint32_t before;

	do {
		while ((before = atomic_load(sequence)) & 1 && tries++ < READ_TRIES)
			sched_yield();
		memcpy(to, (const char *)sequence, size);
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load(sequence) == before && !(before & 1))
			return before ? WHOLE : NEVER_WRITTEN;
	} while (tries++ < READ_TRIES);
	return HALF_WRITTEN;
}

/* ---- addresses ------------------------------------------------------------------------- */

/* A path is not kept: it is where the configuration has it. */
static struct fact_addr fact_of(const struct addr *addr)
{
	struct fact_addr fact = { addr->family, addr->port, addr->scope_id, { 0 } };

	if (addr->family == AF_INET)
		memcpy(fact.bytes, &addr->v4, sizeof(addr->v4));
	else if (addr->family == AF_INET6)
		memcpy(fact.bytes, &addr->v6, sizeof(addr->v6));
	return fact;
}

static bool addr_of(const struct fact_addr *fact, struct addr *addr)
{
	if (fact->family != AF_INET && fact->family != AF_INET6)
		return false;
	*addr = (struct addr){ .family = fact->family, .port = fact->port,
			       .scope_id = fact->scope_id };
	if (addr->family == AF_INET)
		memcpy(&addr->v4, fact->bytes, sizeof(addr->v4));
	else
		memcpy(&addr->v6, fact->bytes, sizeof(addr->v6));
	return true;
}

/* ---- results of checks ----------------------------------------------------------------- */

static void put_check(struct fact_check *to, const struct check_state *from)
{
	to->status = from->status;
	to->cause = from->cause;
	to->running = from->running;
	to->error = from->error;
	to->code = from->code;
	to->duration_ms = from->duration_ms;
	memcpy(to->said, from->said, sizeof(to->said));
}

static void get_check(struct check_state *to, const struct fact_check *from)
{
	to->status = from->status <= CHECK_PROCOK ? from->status : CHECK_UNKNOWN;
	to->cause = from->cause;
	to->running = from->running;
	to->error = from->error;
	to->code = from->code;
	to->duration_ms = from->duration_ms;
	memcpy(to->said, from->said, sizeof(to->said));
	to->said[sizeof(to->said) - 1] = '\0';
}

void facts_publish_checks(const struct server *s)
{
	struct check_facts facts;

	if (!tally_shared || !facts_checker.here)
		return;
	memset(&facts, 0, sizeof(facts));
	facts.health = s->state->health;
	facts.agent_down = s->state->agent_down;
	put_check(&facts.check, &s->state->check);
	put_check(&facts.agent, &s->state->agent);
	write_facts(&shared_server(s)->checks.sequence, &facts, sizeof(facts));
}

_Atomic uint32_t *facts_errors(const struct server *s)
{
	return tally_shared ? &shared_server(s)->errors : NULL;
}

static int health_within(const struct server *s, int health)
{
	const int most = s->set.rise + s->set.fall - 1;

	return health < 0 ? 0 : health > most ? most : health;
}

bool facts_refresh_checks(const struct server *s)
{
	struct check_facts facts;

	if (!tally_shared || facts_checker.here ||
	    read_facts(&shared_server(s)->checks.sequence, &facts, sizeof(facts)) != WHOLE)
		return false;
	get_check(&s->state->check, &facts.check);
	get_check(&s->state->agent, &facts.agent);
	return true;
}

/* What its writer died over is taken as it is. */
bool facts_take_checks(const struct server *s)
{
	struct check_facts facts;

	if (!tally_shared || read_facts(&shared_server(s)->checks.sequence, &facts, sizeof(facts)) ==
				     NEVER_WRITTEN)
		return false;
	s->state->health = health_within(s, facts.health);
	s->state->agent_down = facts.agent_down;
	get_check(&s->state->check, &facts.check);
	get_check(&s->state->agent, &facts.agent);
	s->state->check.running = s->state->agent.running = false;
	return true;
}

/* ---- states over a reload -------------------------------------------------------------- */

/* What is asked for it while serving: then the address that was found last is better than what the
 * start has found. */
static uint32_t name_of(const struct server *s)
{
	const char *name = s->resolvers ? s->spec.hostname : NULL;
	uint32_t hash = name ? hash_wt6(name, strlen(name)) : 0;

	return name && !hash ? 1 : hash;
}

/* As its line has it; the port may be an offset. */
static struct fact_addr conf_of(const struct server *s)
{
	struct fact_addr conf = fact_of(&s->spec.addr);

	if (s->spec.has_offset)
		conf.port = (uint16_t)s->spec.port_offset;
	return conf;
}

static struct fact_target target_of(const struct check_state *st, const struct addr *conf_addr,
				    int conf_port)
{
	struct fact_target target;

	memset(&target, 0, sizeof(target));
	target.addr = fact_of(&st->addr);
	target.conf_addr = fact_of(conf_addr);
	target.port = st->port;
	target.conf_port = (uint16_t)conf_port;
	return target;
}

static bool conf_tls(const struct server *s)
{
	return s->set.tls.options.on & TLS_SSL;
}

static void publish_server(const struct server *s)
{
	const struct check_target *target = check_target_of(s);
	const struct server_state *st = s->state;
	struct state_facts facts;

	memset(&facts, 0, sizeof(facts));
	facts.op = st->op;
	facts.admin = st->admin;
	facts.disabled = !!(s->set.options.on & SRV_DISABLED);
	facts.check_paused = st->check.paused;
	facts.agent_paused = st->agent.paused;
	facts.user_weight = st->user_weight;
	facts.maxconn = st->maxconn;
	facts.conf_weight = (unsigned)s->set.weight;
	facts.conf_maxconn = s->set.maxconn;
	facts.down_transitions = st->down_transitions;
	facts.changed_ms = st->changed_ms;
	facts.downtime_ms = st->downtime_ms;
	facts.warm_ms = st->warm_ms;
	facts.eject_until_ms = st->eject_until_ms;
	facts.ejections = st->ejections;
	facts.addr = fact_of(&st->addr);
	if (st->port_follows)
		facts.addr.port = st->port_offset;
	facts.port_follows = st->port_follows;
	facts.conf_addr = conf_of(s);
	facts.conf_follows = s->spec.has_offset;
	facts.conf_name = name_of(s);
	facts.check = target_of(&st->check, &target->addr, target->port);
	facts.agent = target_of(&st->agent, server_where_agent(s), server_agent_port(s));
	facts.tls = s->tls != NULL;
	facts.conf_tls = conf_tls(s);
	if (st->hostname)
		snprintf(facts.hostname, sizeof(facts.hostname), "%s", st->hostname);
	write_facts(&shared_server(s)->state.sequence, &facts, sizeof(facts));
}

static void publish_backend(const struct proxy *px)
{
	struct backend_facts facts = { .down_transitions = px->state->down_transitions,
				     .changed_ms = px->state->changed_ms,
				     .downtime_ms = px->state->downtime_ms,
				     .unpublished = px->state->unpublished,
				     .conf_unpublished = px->starts_unpublished };

	write_facts(&shared_backend(px)->state.sequence, &facts, sizeof(facts));
}

void facts_publish_states(void)
{
	const struct proxy *px;
	const struct server *s;

	if (!tally_shared)
		return;
	list_for_each(px, &proxies_running->list, node) {
		if (px->be)
			publish_backend(px);
		for (s = px->servers; s; s = s->next)
			publish_server(s);
	}
	servers_keep();
}

bool facts_known(const struct server *s)
{
	return tally_shared && s->tally && atomic_load(&shared_server(s)->state.sequence);
}

static void restore_addr(struct server *s, const struct state_facts *facts)
{
	bool same_name = facts->conf_name && facts->conf_name == name_of(s);
	struct fact_addr conf = conf_of(s);
	bool same_port = conf.port == facts->conf_addr.port &&
			 facts->conf_follows == s->spec.has_offset;
	struct addr addr;

	if (!same_name && (!same_port || memcmp(&conf, &facts->conf_addr, sizeof(conf))))
		return;
	if (!addr_of(&facts->addr, &addr))
		return;
	if (same_name && memchr(facts->hostname, 0, sizeof(facts->hostname)) && *facts->hostname)
		s->state->hostname = strdup(facts->hostname);
	s->state->addr = addr;
	if (same_port)
		server_set_port(s, facts->port_follows, facts->addr.port);
	else
		server_set_port(s, s->spec.has_offset, conf.port);
	s->state->admin &= (uint8_t)~ADMIN_RESOLUTION;
}

/* Address and port by themselves: the file may have changed one of them. */
static void restore_target(struct check_state *st, const struct fact_target *facts,
			   const struct addr *conf_addr, int conf_port)
{
	struct fact_addr conf = fact_of(conf_addr);
	struct addr addr;

	if (!memcmp(&conf, &facts->conf_addr, sizeof(conf)) && addr_of(&facts->addr, &addr))
		st->addr = addr;
	if (facts->conf_port == conf_port)
		st->port = facts->port;
}

/* "set server ssl". */
static void restore_tls(struct server *s, const struct state_facts *facts)
{
	if (s->tls_switch && facts->conf_tls == conf_tls(s) && facts->tls != conf_tls(s))
		server_switch_tls(s, facts->tls);
}

/* Where "disabled" came or went the configuration has spoken last. */
static void restore_admin(struct server *s, const struct state_facts *facts)
{
	const unsigned kept = ADMIN_FORCED_MAINT | ADMIN_FORCED_DRAIN;

	if (facts->disabled == !!(s->set.options.on & SRV_DISABLED))
		s->state->admin = (uint8_t)((s->state->admin & ~kept) | (facts->admin & kept));
}

/* Who is ejected stays so for the rest of its time, if the configuration still says "eject". */
static void restore_ejection(struct server *s, const struct state_facts *facts)
{
	if (!eject_conf_of(s->proxy))
		return;
	s->state->eject_until_ms = facts->eject_until_ms;
	s->state->ejections = facts->ejections;
	s->state->admin |= facts->admin & ADMIN_EJECTED;
}

/* Only those that are checked have a health and go down by themselves. */
static void restore_health(struct server *s, const struct state_facts *facts)
{
	bool checked = s->set.options.on & (SRV_CHECK | SRV_AGENT_CHECK) && facts_take_checks(s);
	bool down = s->state->admin & ADMIN_MAINT || (!checked && s->state->health < s->set.rise);

	s->state->op = down ? SERVER_DOWN : SERVER_UP;
	if (!checked)
		return;
	if (!(s->set.options.on & SRV_AGENT_CHECK))
		s->state->agent_down = false;
	if (s->state->op != SERVER_DOWN && !(facts->admin & ADMIN_MAINT) &&
	    (facts->op == SERVER_DOWN || facts->op == SERVER_STOPPING))
		s->state->op = facts->op;
}

/* A ramp of slowstart goes on. */
static void restore_ramp(struct server *s, const struct state_facts *facts)
{
	if (s->state->op != SERVER_UP || facts->op != SERVER_STARTING ||
	    clock_now_ms - facts->warm_ms >= s->set.slowstart)
		return;
	server_warm_up(s);
	s->state->warm_ms = facts->warm_ms;
}

static void restore_server(struct server *s)
{
	const struct check_target *target = check_target_of(s);
	struct state_facts facts;

	if (!facts_known(s) || !read_facts(&shared_server(s)->state.sequence, &facts, sizeof(facts)))
		return;
	if (facts.conf_weight == (unsigned)s->set.weight && facts.user_weight <= 256)
		s->state->user_weight = facts.user_weight;
	if (facts.conf_maxconn == s->set.maxconn)
		s->state->maxconn = facts.maxconn;
	restore_addr(s, &facts);
	restore_target(&s->state->check, &facts.check, &target->addr, target->port);
	restore_target(&s->state->agent, &facts.agent, server_where_agent(s), server_agent_port(s));
	restore_tls(s, &facts);
	restore_admin(s, &facts);
	restore_ejection(s, &facts);
	restore_health(s, &facts);
	restore_ramp(s, &facts);
	s->state->check.paused = facts.check_paused;
	s->state->agent.paused = facts.agent_paused;
	s->state->changed_ms = facts.changed_ms;
	s->state->downtime_ms = facts.downtime_ms;
	s->state->down_transitions = facts.down_transitions;
}

/* Those that track take what they inherit from the one that they track now. */
void server_follow_tracked(struct server *s)
{
	const struct server *end = s->tracked;
	unsigned admin = s->state->admin & ~(ADMIN_INHERITED_MAINT | ADMIN_INHERITED_DRAIN);

	if (!end)
		return;
	while (end->tracked)
		end = end->tracked;
	if (end->state->admin & ADMIN_MAINT)
		admin |= ADMIN_INHERITED_MAINT;
	if (end->state->admin & ADMIN_DRAIN)
		admin |= ADMIN_INHERITED_DRAIN;
	s->state->admin = (uint8_t)admin;
	s->state->op = admin & ADMIN_MAINT ? SERVER_DOWN : end->state->op;
}

static void restore_backend(struct proxy *px)
{
	struct backend_facts facts;

	if (!px->be || !read_facts(&shared_backend(px)->state.sequence, &facts, sizeof(facts)))
		return;
	px->state->changed_ms = facts.changed_ms;
	px->state->downtime_ms = facts.downtime_ms;
	px->state->down_transitions = facts.down_transitions;
	if (facts.conf_unpublished == px->starts_unpublished && !px->added)
		px->state->unpublished = facts.unpublished;
}

void facts_restore_states(const struct proxies *all)
{
	struct proxy *px;
	struct server *s;

	if (!tally_shared)
		return;
	list_for_each(px, &all->list, node) {
		restore_backend(px);
		for (s = px->servers; s; s = s->next)
			restore_server(s);
	}
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next) {
			if (!facts_known(s))
				continue;
			server_follow_tracked(s);
			server_update_weight(s);
			if (server_hooks.lb_changed)
				server_hooks.lb_changed(s);
		}
}
