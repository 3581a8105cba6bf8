/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show peers: sections, members and their tables, in the process that speaks for them (it alone is
 * asked), in the form of the reference as far as there is something to be said. One object a piece;
 * the place is kept as numbers, since members and tables of a generation do not change, and
 * connections may.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/tables.h"
#include "log/date.h"
#include "net/addr.h"
#include "net/conn_link.h"
#include "peers/life.h"
#include "peers/peers_conf.h"
#include "peers/section.h"
#include "proxy/facts.h"
#include "proxy/server.h"
#include "share/segment.h"
#include "stick/feed.h"
#include "tls/link.h"

#include <string.h>
#include <time.h>

enum { NAMES_A_PIECE = 16, NAME_PIECES = 128 / NAMES_A_PIECE };

struct peers_state {
	const char *only;              /* name of a section: of the conversation's words; NULL: all */
	bool dict;
	unsigned section, peer, table; /* the next; peer 0: the section; table 0: the member, behind the
				* last table: names */
};

/* The speaker, if that is another process. */
static unsigned peers_owner(const struct cli_call *call)
{
	(void)call;
	return facts_checker.row == segment_own_row ? 0 : facts_checker.row;
}

static int peers_start(struct cli_call *call, struct err *err)
{
	struct peers_state *state = CLI_STATE_OF(struct peers_state, call);
	int i = 0;

	if (!strcmp(cli_arg(call, 0), "dict") || !strcmp(cli_arg(call, 0), "-")) {
		state->dict = *cli_arg(call, 0) == 'd';
		i = 1;
	}
	if (!*cli_arg(call, i))
		return 0;
	state->only = cli_arg(call, i);
	if (!peers_section_find(peers_running, state->only))
		return err_set(err, "No such peers");
	return 0;
}

static const struct peers_section *section_at(const struct peers_state *state)
{
	const struct peers_section *s;
	unsigned n = state->section;

	list_for_each(s, &peers_running->sections, node) {
		if (state->only && strcmp(s->name, state->only) != 0)
			continue;
		if (!n--)
			return s;
	}
	return NULL;
}

static const struct peer *peer_at(const struct peers_section *s, unsigned n)
{
	const struct peer *p;

	list_for_each(p, &s->peers, node)
		if (!n--)
			return p;
	return NULL;
}

/* Until then, "<PAST>", or "<NEVER>". */
static void say_until(struct text *out, bool set, uint64_t when)
{
	if (!set)
		text_str(out, "<NEVER>");
	else if (when <= clock_now_ms)
		text_str(out, "<PAST>");
	else
		text_printf(out, "%llus", (unsigned long long)(when - clock_now_ms + 999) / 1000);
}

static void say_section(struct text *out, const struct peers_section *s)
{
	static const char *const states[] = { [RESYNC_DONE] = "done", [RESYNC_PREDECESSOR] = "predecessor",
					      [RESYNC_LOOKS] = "looks", [RESYNC_ASKED] = "asked" };
	const struct section_life *life = s->life;

	text_printf(out, "0x%llx: [%s] id=%s disabled=%d resync=%s resync_timeout=",
		    (unsigned long long)s->loc.line, date_of(clock_wall().tv_sec)->local, s->name,
		    s->disabled, life ? states[life->resync] : "none");
	say_until(out, life && life->resync != RESYNC_DONE, life ? life->resync_timer.when : 0);
	if (life && life->teacher)
		text_printf(out, " teacher=%s", life->teacher->peer->name);
	text_char(out, '\n');
}

/* "ESTA", "CONN" as the reference; "HAIL" while hello is said; "5xx": how a call was refused. */
static void say_status(struct text *out, const struct peer_life *peer)
{
	if (!peer || (!peer->tried_ms && !peer->accepted))
		text_str(out, "NONE");
	else if (peer->link && peer->link->state == LINK_TALKS)
		text_str(out, "ESTA");
	else if (peer->link && peer->link->state != LINK_CONNECTS)
		text_str(out, "HAIL");
	else if (peer->refused)
		text_printf(out, "%d", peer->status);
	else
		text_str(out, "CONN");
}

static void sum_counts(const struct peer_life *peer, struct talk_counts *sum)
{
	const struct talk_counts *now;

	*sum = (struct talk_counts){ .errors = 0 };
	if (!peer)
		return;
	*sum = peer->before;
	if (!peer->link || peer->link->state != LINK_TALKS)
		return;
	now = talk_counts(peer->link->talk);
	sum->bytes_in += now->bytes_in;
	sum->bytes_out += now->bytes_out;
	sum->updates_in += now->updates_in;
	sum->updates_out += now->updates_out;
	sum->beats_in += now->beats_in;
	sum->beats_out += now->beats_out;
	sum->acks_in += now->acks_in;
	sum->acks_out += now->acks_out;
	sum->errors += now->errors;
	sum->ignored += now->ignored;
}

static void say_counts(struct text *out, const struct peer_life *peer)
{
	struct talk_counts sum;

	sum_counts(peer, &sum);
	text_printf(out, " confirm=%d tx_hbt=%u rx_hbt=%u no_hbt=%u new_conn=%u proto_err=%u coll=%u\n",
		    peer && peer->link && peer->link->talk && talk_is_teaching(peer->link->talk),
		    sum.beats_out, sum.beats_in, peer ? peer->silences : 0, peer ? peer->calls : 0,
		    sum.errors, peer ? peer->collisions : 0);
	text_printf(out, "        accepted=%u refused=%u rx_upd=%llu tx_upd=%llu rx_ack=%u tx_ack=%u "
		    "rx_bytes=%llu tx_bytes=%llu ignored=%u\n", peer ? peer->accepted : 0,
		    peer ? peer->refusals : 0, (unsigned long long)sum.updates_in,
		    (unsigned long long)sum.updates_out, sum.acks_in, sum.acks_out,
		    (unsigned long long)sum.bytes_in, (unsigned long long)sum.bytes_out, sum.ignored);
}

static void say_link(struct text *out, const struct peer_life *peer)
{
	const struct peer_link *link = peer ? peer->link : NULL;
	struct addr from;

	if (!link) {
		if (peer && *peer->why)
			text_printf(out, "        last=%s\n", peer->why);
		return;
	}
	text_printf(out, "        xprt=%s %s", tls_link_is(conn_link(link->conn)) ? "SSL" : "RAW",
		    link->called ? "opened" : "accepted");
	if (conn_local_addr(link->conn, &from)) {
		text_str(out, " from=");
		addr_print_port(&from, out);
	}
	text_printf(out, " unsent=%zu\n", link->out_len - link->out_sent);
}

static void say_peer(struct text *out, const struct peer *p)
{
	const struct peer_life *peer = p->life;
	const struct peer_link *link = peer ? peer->link : NULL;
	bool talks = link && link->state == LINK_TALKS;

	text_printf(out, "  0x%llx: id=%s(%s,%s) addr=", (unsigned long long)p->loc.line, p->name,
		    p->local ? "local" : "remote", link ? "active" : "inactive");
	if (p->has_address)
		addr_print_port(&p->server->spec.addr, out);
	else
		text_str(out, "<NONE>");
	text_str(out, " last_status=");
	say_status(out, peer);
	text_str(out, " last_hdshk=");
	if (peer && peer->hello_ms)
		text_printf(out, "%llus", (unsigned long long)(clock_now_ms - peer->hello_ms) / 1000);
	else
		text_str(out, "<NEVER>");
	text_str(out, "\n        reconnect=");
	say_until(out, peer && timer_armed(&peer->timer), peer ? peer->timer.when : 0);
	text_str(out, " heartbeat=");
	say_until(out, talks, talks ? link->said_ms + PEERS_BEAT_MS : 0);
	say_counts(out, peer);
	say_link(out, peer);
	if (p->shard)
		text_printf(out, "        shard=%u of %u\n", p->shard, p->section->shards);
	text_str(out, "        shared tables:\n");
}

static void say_table(struct text *out, const struct peer *p, unsigned n)
{
	const struct peer_link *link = p->life ? p->life->link : NULL;
	const struct peers_table *table = &p->section->tables[n];
	struct talk_table_state state = { .told = 0 };

	if (link && link->state == LINK_TALKS)
		talk_table_state(link->talk, n, &state);
	else
		state.acked = stick_feed_acked(table->table, p->who);
	text_printf(out, "          0x%x local_id=%u remote_id=%u usable=%d\n"
		    "              last_acked=%u last_pushed=%u last_get=%u update=%u\n"
		    "              table:%s\n", n + 1, n + 1, state.their_id, state.usable, state.acked,
		    state.told, state.taken, stick_feed_newest(table->table),
		    stick_definition(table->table)->name);
}

/* The names that one side has numbered for the other; piece: some of one of them. False: there are
 * no more. */
static bool say_names(struct text *out, const struct talk *talk, unsigned piece)
{
	bool ours = piece < NAME_PIECES;
	unsigned first = piece % NAME_PIECES * NAMES_A_PIECE + 1, id;
	struct span name;

	if (first == 1)
		text_printf(out, "        %s dictionary cache:\n", ours ? "TX" : "RX");
	for (id = first; id < first + NAMES_A_PIECE && talk_name(talk, ours, id, &name); id++)
		if (name.len)
			text_printf(out, "          %u -> %.*s\n", id, (int)name.len, name.ptr);
	return piece + 1 < 2 * NAME_PIECES;
}

/* Behind the tables of a member. False: there is no more. */
static bool say_rest(struct text *out, const struct peers_state *state, const struct peer *p)
{
	const struct peer_link *link = p->life ? p->life->link : NULL;

	if (!state->dict) {
		text_str(out, "        Dictionary cache not dumped (use \"show peers dict\")\n");
		return false;
	}
	return link && link->state == LINK_TALKS &&
	       say_names(out, link->talk, state->table - p->section->table_count - 1);
}

static enum cli_step peers_next(struct cli_call *call)
{
	struct peers_state *state = CLI_STATE_OF(struct peers_state, call);
	const struct peers_section *s = section_at(state);
	const struct peer *p;

	if (!s)
		return CLI_END;
	if (!state->peer) {
		say_section(call->out, s);
		state->peer = 1;
		return CLI_MORE;
	}
	p = peer_at(s, state->peer - 1);
	if (!p) {
		state->section++;
		state->peer = 0;
	} else if (!state->table) {
		say_peer(call->out, p);
		state->table = 1;
	} else if (state->table <= s->table_count) {
		say_table(call->out, p, state->table++ - 1);
	} else if (say_rest(call->out, state, p)) {
		state->table++;
	} else {
		state->table = 0;
		state->peer++;
	}
	return CLI_MORE;
}

const struct cli_command cli_peers_commands[] = {
	{ .words = "show peers", .args = "[dict|-] [<section>]", .level = LEVEL_USER,
	  .start = peers_start, .next = peers_next, CLI_STATE(struct peers_state),
	  .owner = peers_owner,
	  .help = "dump some information about all the peers or this peers section" },
	{ .words = NULL },
};
