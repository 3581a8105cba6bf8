/* SPDX-License-Identifier: BSD-2-Clause */
/* What people ask of a server at run time, by whichever way. Called as the ordered log makes a
 * change, by commands of the stats socket, the form of the stats page, and scripts. */
#include "proxy/server_asked.h"

#include "base/err.h"
#include "log/log.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"

/* -- state and health ------------------------------------------------------------------------ */

void server_make_ready(struct server *s)
{
	server_set_admin(s, 0, ADMIN_NOT_READY);
}

void server_make_drain(struct server *s)
{
	server_set_admin(s, ADMIN_FORCED_DRAIN, ADMIN_FORCED_MAINT);
}

void server_make_maint(struct server *s)
{
	server_set_admin(s, ADMIN_FORCED_MAINT, ADMIN_FORCED_DRAIN);
}

bool server_force_health(struct server *s, enum server_op op, const char *reason)
{
	if (s->tracked)
		return false;
	s->state->health = op == SERVER_DOWN ? 0 : s->set.rise + s->set.fall - 1;
	server_set_found(s, op, reason, NULL);
	facts_publish_checks(s); /* also where nothing but the health has changed */
	return true;
}

/* -- address --------------------------------------------------------------------------------- */

/* Sets the address, "IP changed from ..."; keeps the port. */
static void addr_change(struct server *s, struct addr addr, struct text *said)
{
	struct addr *now = &s->state->addr;

	addr.port = now->port;
	if (addr_equal(&addr, now)) {
		text_str(said, "no need to change the addr");
		return;
	}
	text_str(said, "IP changed from '");
	addr_print(now, said);
	text_str(said, "' to '");
	addr_print(&addr, said);
	text_char(said, '\'');
	*now = addr;
	server_moved(s);
}

static void port_print(const struct server *s, struct text *said)
{
	const struct server_state *st = s->state;

	text_printf(said, st->port_follows ? "+%u" : "%u",
		    st->port_follows ? st->port_offset : st->addr.port);
}

/* "8080", or "+10", "-10": the client's, plus or minus that (manual, "server"). Checks follow no
 * client, so they must have been given a port. */
static void port_change(struct server *s, const char *text, struct text *said)
{
	bool follows = *text == '+' || *text == '-';
	struct server_state *st = s->state;
	uint16_t port, now = st->port_follows ? st->port_offset : st->addr.port;
	int64_t number;

	text_str(said, ", ");
	if (!str_to_int(text + follows, 0, INT64_MAX, &number)) {
		text_printf(said, "problem converting port '%.*s' to an int", STR_CUT(text, 32));
		return;
	}
	if (follows && !st->port_follows && !st->check.port) {
		text_str(said,
			 "can't change <port> to port map because it is incompatible with current "
			 "health check port configuration (use 'port' statement from the 'server' "
			 "directive.");
		return;
	}
	if (number > 65535) {
		text_str(said, "provided port is not valid");
		return;
	}
	port = (uint16_t)(*text == '-' ? -number : number);
	if (follows == st->port_follows && port == now) {
		text_str(said, "no need to change the port");
		return;
	}
	text_str(said, "port changed from '");
	port_print(s, said);
	text_printf(said, "' to '%.1s%u'", follows ? text : "", (unsigned)number);
	server_set_port(s, follows, port);
	server_moved(s);
}

int server_set_addr(struct server *s, const char *text, const char *port, const char *by,
		    struct text *said, struct err *err)
{
	struct addr addr;

	if (addr_of_ip(text, &addr))
		return err_set(err, "Invalid addr '%.*s' by '%s'", STR_CUT(text, 200), by);
	addr_change(s, addr, said);
	if (port)
		port_change(s, port, said);
	text_printf(said, " by '%s'", by);
	if (s->state->admin & ADMIN_RESOLUTION)
		server_set_admin(s, 0, ADMIN_RESOLUTION);
	log_printf(s->proxy->set.log, LOG_L_NOTICE, "%s/%s: %s", s->proxy->name, s->id, said->ptr);
	return 0;
}

/* -- weight and sessions --------------------------------------------------------------------- */

int server_set_weight(struct server *s, const char *text, struct err *err)
{
	unsigned weight = 0;

	if (server_read_weight(s, text, &weight, err) < 0)
		return -1;
	server_take_weight(s, weight);
	return 0;
}

int server_set_maxconn(struct server *s, const char *text, struct err *err)
{
	int64_t n;

	if (!str_to_int(text, INT64_MIN, INT64_MAX, &n))
		return err_set(err, "maxconn string empty or preceded by garbage");
	if (n < 0 || n > INT32_MAX)
		return err_set(err, "Value out of range.");
	server_take_maxconn(s, (unsigned)n);
	return 0;
}
