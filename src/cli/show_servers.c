/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show servers state, show servers conn, show backend, show guid: lines of backends and servers.
 * The place is kept as numbers, so that nothing that has gone is touched.
 */
#include "base/clock.h"
#include "check/check.h"
#include "cli/tables.h"
#include "proxy/facts.h"
#include "proxy/guid.h"
#include "proxy/sums.h"

#include <limits.h>

struct servers_state {
	int only;      /* id of the one backend that is wanted; -1: all */
	unsigned left, server; /* orders: of the last proxy that is done, of the last server */
	unsigned object; /* show guid: of the proxy, and behind all of them its servers */
	const struct server *next; /* the one there, as long as nothing else has run */
};

static int servers_parse(struct cli_call *call, struct err *err)
{
	struct servers_state *state = CLI_STATE_OF(struct servers_state, call);
	const struct proxy *px;

	state->only = -1;
	if (!*cli_arg(call, 0))
		return 0;
	px = proxy_find(proxies_running, cli_arg(call, 0), PROXY_BACKEND);
	if (!px)
		return err_set(err, "Can't find backend.");
	state->only = px->uuid;
	return 0;
}

/* The first behind that place; NULL: none. Servers come and go between two pieces. */
static const struct server *servers_behind(const struct proxy *px, unsigned order)
{
	const struct server *s;

	for (s = px->servers; s && s->order <= order; s = s->next)
		;
	return s;
}

/* The next server that is wanted; NULL: there is none. */
static const struct server *servers_next(struct cli_call *call)
{
	struct servers_state *state = CLI_STATE_OF(struct servers_state, call);
	const struct server *s = call->resumed ? NULL : state->next;
	const struct proxy *px;

	for (; !s && (px = proxy_behind(state->left)); state->left = px->order, state->server = 0) {
		if (!px->be || (state->only != -1 && px->uuid != state->only))
			continue;
		s = servers_behind(px, state->server);
		if (s)
			break;
	}
	if (s) {
		state->server = s->order;
		state->next = s->next;
	}
	return s;
}

static void servers_say_addr(struct text *out, const struct addr *addr)
{
	if (addr->family == AF_INET || addr->family == AF_INET6)
		addr_print(addr, out);
	else
		text_char(out, '-');
}

/* -- show servers state ---------------------------------------------------------------------- */

static int state_start(struct cli_call *call, struct err *err)
{
	if (servers_parse(call, err))
		return -1;
	text_str(call->out,
		 "1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state "
		 "srv_uweight srv_iweight srv_time_since_last_change srv_check_status "
		 "srv_check_result srv_check_health srv_check_state srv_agent_state "
		 "bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl "
		 "srv_check_port srv_check_addr srv_agent_addr srv_agent_port\n");
	return 0;
}

/* -1: "no-ssl" says so. */
static int state_tls(const struct server *s)
{
	const struct tls_settings *set = &s->set.tls;

	if (s->tls)
		return 1;
	return set->options.given & TLS_SSL && !(set->options.on & TLS_SSL) ? -1 : 0;
}

/* Numbers of the management guide; those of check results are what the reference prints. */
static unsigned state_admin(const struct server *s)
{
	const unsigned admin = s->state->admin;

	return (admin & (ADMIN_FORCED_MAINT | ADMIN_REMOVED) ? 0x01u : 0) |
	       (admin & ADMIN_INHERITED_MAINT ? 0x02u : 0) |
	       (s->set.options.on & SRV_DISABLED ? 0x04u : 0) |
	       (admin & ADMIN_FORCED_DRAIN ? 0x08u : 0) |
	       (admin & ADMIN_INHERITED_DRAIN ? 0x10u : 0) |
	       (admin & ADMIN_RESOLUTION ? 0x20u : 0) | (s->state->hostname ? 0x40u : 0) |
	       (admin & ADMIN_EJECTED ? 0x80u : 0);
}

static unsigned state_operational(const struct server *s)
{
	return s->state->admin & ADMIN_MAINT ? (unsigned)SERVER_DOWN : s->state->op;
}

static unsigned state_check_status(const struct server *s)
{
	static const uint8_t numbers[] = {
		[CHECK_UNKNOWN] = 0, [CHECK_INIT] = 1,    [CHECK_SOCKERR] = 5, [CHECK_L4OK] = 6,
		[CHECK_L4TOUT] = 7,  [CHECK_L4CON] = 8,   [CHECK_L6OK] = 9,    [CHECK_L6TOUT] = 10,
		[CHECK_L6RSP] = 11,  [CHECK_L7TOUT] = 12, [CHECK_L7RSP] = 13,  [CHECK_L7OK] = 15,
		[CHECK_L7OKC] = 16,  [CHECK_L7STS] = 17,  [CHECK_HANA] = 4,
		[CHECK_CHECKED] = 3,  [CHECK_PROCERR] = 18,   [CHECK_PROCTOUT] = 19,
		[CHECK_PROCOK] = 20,
	};
	unsigned status = s->state->check.status;

	if (!check_of(s))
		status = CHECK_INIT;
	return status < ARRAY_LEN(numbers) ? numbers[status] : 0;
}

static unsigned state_check_result(const struct server *s)
{
	if (!check_of(s) || s->state->check.running)
		return 0;
	switch (s->state->check.status) {
	case CHECK_UNKNOWN:
	case CHECK_INIT:
		return 0;
	case CHECK_L4OK:
	case CHECK_L6OK:
	case CHECK_L7OK:
	case CHECK_PROCOK:
		return 3;
	case CHECK_L7OKC:
		return 4;
	default:
		return 2;
	}
}

/* Maintenance pauses a check that is on. A server without one shows what its line says, for good,
 * as the reference does. */
static unsigned state_check_state(const struct server *s)
{
	const struct check_state *check = &s->state->check;

	if (!check_of(s))
		return s->set.options.on & SRV_DISABLED ? 0x08 : 0;
	if (check->paused)
		return 0x02 | (check->running ? 0x01 : 0);
	return 0x02 | 0x04 | (check->running ? 0x01 : 0) |
	       (s->state->admin & ADMIN_MAINT ? 0x08 : 0);
}

static unsigned state_agent_state(const struct server *s)
{
	const struct check_state *agent = &s->state->agent;

	if (!check_agent_of(s))
		return 0;
	return 0x10 | 0x02 | (agent->running ? 0x01 : 0) | (agent->paused ? 0 : 0x04);
}

static enum cli_step state_next(struct cli_call *call)
{
	const struct server *s = servers_next(call);
	const struct server_state *st;
	struct text *out = call->out;

	if (!s)
		return CLI_END;
	facts_refresh_checks(s);
	st = s->state;
	text_printf(out, "%d %s %d %s ", s->proxy->uuid, s->proxy->name, s->puid, s->id);
	servers_say_addr(out, &st->addr);
	text_printf(out, " %u %u %u %d %llu %u %u %d %u %u", state_operational(s), state_admin(s),
		    st->user_weight, s->set.weight,
		    (unsigned long long)(clock_now_ms - st->changed_ms) / 1000,
		    state_check_status(s), state_check_result(s),
		    st->admin & ADMIN_MAINT ? 0 : st->health, state_check_state(s),
		    state_agent_state(s));
	text_printf(out, " %d %d %s %u %s %d %u ", s->proxy->forced_id, s->forced_id,
		    server_hostname(s) ? server_hostname(s) : "-", st->addr.port,
		    s->is_service ? s->spec.hostname : "-", state_tls(s), st->check.port);
	servers_say_addr(out, &st->check.addr);
	text_char(out, ' ');
	servers_say_addr(out, &st->agent.addr);
	text_printf(out, " %u\n", st->agent.port);
	return CLI_MORE;
}

/* -- show servers conn ----------------------------------------------------------------------- */

static int conn_start(struct cli_call *call, struct err *err)
{
	if (servers_parse(call, err))
		return -1;
	text_str(call->out, "# bkname/svname bkid/svid addr port - purge_delay used_cur used_max "
			    "need_est unsafe_nb safe_nb idle_lim idle_cur idle_per_thr[1]\n");
	return 0;
}

/* In TCP mode, and where they are private, no connection is idle here: each belongs to its
 * session. */
static enum cli_step conn_next(struct cli_call *call)
{
	const struct server *s = servers_next(call);
	struct server_tally sum;

	if (!s)
		return CLI_END;
	server_sum(s, &sum);
	text_printf(call->out, "%s/%s %d/%d ", s->proxy->name, s->id, s->proxy->uuid, s->puid);
	servers_say_addr(call->out, &s->state->addr);
	text_printf(call->out, " %u - %u %u %llu %u %u %u %d %u %u\n", s->state->addr.port,
		    s->set.pool_purge_delay, sum.current,
		    (unsigned long long)sum.counters.connections_max, sum.idle_need,
		    sum.idle - sum.idle_safe, sum.idle_safe, s->set.pool_max_conn, sum.idle,
		    s->idle_count);
	return CLI_MORE;
}

/* -- show backend ---------------------------------------------------------------------------- */

/* Without an argument the lines are those of the reference, which tools take whole. */
static bool with_state(const struct cli_call *call)
{
	return *cli_arg(call, 0);
}

static int backend_start(struct cli_call *call, struct err *err)
{
	if (with_state(call) && strcmp(cli_arg(call, 0), "state") != 0)
		return err_set(err, "Optional argument only supports 'state'.");
	text_printf(call->out, "# name%s\n", with_state(call) ? " state" : "");
	return 0;
}

static enum cli_step backend_next(struct cli_call *call)
{
	struct servers_state *state = CLI_STATE_OF(struct servers_state, call);
	const struct proxy *px = proxy_behind(state->left);

	if (!px)
		return CLI_END;
	state->left = px->order;
	if (px->be && with_state(call))
		text_printf(call->out, "%s %spublished\n", px->name,
			    px->state->unpublished ? "un" : "");
	else if (px->be)
		text_printf(call->out, "%s\n", px->name);
	return CLI_MORE;
}

/* -- show guid ------------------------------------------------------------------------------- */

static void guid_line(const struct guid_owner *owner, struct text *out)
{
	text_printf(out, "%s ", guid_of(owner));
	guid_owner_print(owner, out);
	text_char(out, '\n');
}

static int guid_start(struct cli_call *call, struct err *err)
{
	struct servers_state *state = CLI_STATE_OF(struct servers_state, call);
	struct guid_owner owner;

	state->only = -1;
	if (!*cli_arg(call, 0))
		return 0;
	if (!guid_find(proxies_running, cli_arg(call, 0), &owner))
		return err_set(err, "No such guid.");
	guid_line(&owner, call->out);
	state->left = UINT_MAX;
	return 0;
}

/* The next object of the proxy: itself, its sockets, its servers. */
static bool guid_next_object(const struct proxy *px, struct servers_state *state,
			     struct guid_owner *owner)
{
	if (guid_object(px, state->object, owner)) {
		state->object++;
		return true;
	}
	owner->server = servers_behind(px, state->server);
	while (owner->server && !owner->server->guid)
		owner->server = owner->server->next;
	if (owner->server)
		state->server = owner->server->order;
	return owner->server;
}

static enum cli_step guid_next(struct cli_call *call)
{
	struct servers_state *state = CLI_STATE_OF(struct servers_state, call);
	struct guid_owner owner;
	const struct proxy *px;

	while ((px = proxy_behind(state->left))) {
		while (guid_next_object(px, state, &owner))
			if (guid_of(&owner)) {
				guid_line(&owner, call->out);
				return CLI_MORE;
			}
		state->left = px->order;
		state->object = state->server = 0;
	}
	return CLI_END;
}

const struct cli_command cli_servers_commands[] = {
	{ .words = "show servers state", .args = "[<backend>]", .level = LEVEL_USER,
	  .start = state_start, .next = state_next, CLI_STATE(struct servers_state),
	  .help = "dump volatile server information (all or for a single backend)" },
	{ .words = "show servers conn", .args = "[<backend>]", .level = LEVEL_USER,
	  .start = conn_start, .next = conn_next, CLI_STATE(struct servers_state),
	  .help = "dump server connections status (all or for a single backend)" },
	{ .words = "show backend", .args = "[state]", .level = LEVEL_USER,
	  .start = backend_start, .next = backend_next,
	  CLI_STATE(struct servers_state),
	  .help = "list backends in the current running config, and whether they are published" },
	{ .words = "show guid", .args = "[<guid>]", .level = LEVEL_USER, .start = guid_start,
	  .next = guid_next, CLI_STATE(struct servers_state),
	  .help = "list the guids of proxies, sockets and servers, or tell whose one is" },
	{ .words = NULL },
};
