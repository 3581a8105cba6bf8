/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of tcp-request and tcp-response rules that change the session, the stream or its
 * client's socket (manual 4.2). Rows of a table; called by expr/rules.c. */
#include "stream/tcp_rules.h"

#include "base/err.h"
#include "expr/expr.h"
#include "proxy/proxy.h"
#include "stream/actions.h"
#include "stream/extra.h"
#include "stream/origin.h"
#include "stream/stream.h"
#include "stream/view.h"

enum { ALL_LISTS = AT_CONN | AT_SESSION | AT_REQUESTS | AT_RESPONSE };

/* -- addresses -------------------------------------------------------------------------- */

static int parse_addr_expr(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	return rule_parse_expr(st, rule);
}

enum { SET_SRC, SET_SRC_PORT, SET_DST, SET_DST_PORT };

static struct addr *action_dst(struct stream *s, struct stream_extra *extra)
{
	if (!extra->has_dst && !stream_dst(s, &extra->dst))
		extra->dst = (struct addr){ .family = AF_UNSPEC };
	extra->has_dst = true;
	return &extra->dst;
}

static struct addr *origin_target_dst(struct view *view)
{
	struct told *told = origin_told(view->origin);

	if (!told)
		return NULL;
	if (!told->has_dst && !link_original_dst(view->client_link, &told->dst))
		told->dst = (struct addr){ .family = AF_UNSPEC };
	told->has_dst = true;
	view_own_addrs(view->origin, view);
	return &told->dst;
}

/* Connection rules change what the connection has, those behind them what the session has. */
static struct addr *origin_target(struct view *view, bool dst, unsigned place)
{
	struct origin *origin = view->origin;

	if (!(place & AT_CONN) && !origin_keep_own(origin))
		return NULL;
	if (dst)
		return origin_target_dst(view);
	view_own_addrs(origin, view);
	return &origin->src;
}

/* The address that the action writes to; NULL: out of memory. */
static struct addr *action_target(const struct rule *rule, struct view *view, unsigned place)
{
	bool dst = rule->action->data == SET_DST || rule->action->data == SET_DST_PORT;
	struct stream *s = view->stream;
	struct origin *origin = view->origin;
	struct stream_extra *extra;

	if (!s)
		return origin_target(view, dst, place);
	extra = extra_get(s);
	if (!extra)
		return NULL;
	if (dst)
		return action_dst(s, extra);
	if (!extra->has_src)
		extra->src = origin->src;
	extra->has_src = true;
	view->src = &extra->src;
	return &extra->src;
}

static bool is_ip(const struct addr *addr)
{
	return addr->family == AF_INET || addr->family == AF_INET6;
}

/* The port stays where there is one. */
static void set_host(struct addr *addr, const struct sample *smp)
{
	uint16_t port = is_ip(addr) ? addr->port : 0;

	*addr = (struct addr){ .port = port };
	if (smp->type == SMP_IPV4) {
		addr->family = AF_INET;
		addr->v4 = smp->v4;
	} else {
		addr->family = AF_INET6;
		addr->v6 = smp->v6;
	}
}

static void set_port(struct addr *addr, int64_t port)
{
	if (!is_ip(addr))
		*addr = (struct addr){ .family = AF_INET };
	addr->port = (uint16_t)port;
}

static enum action_result action_addr(const struct rule *rule, struct view *view,
				      unsigned place)
{
	bool port = rule->action->data == SET_SRC_PORT || rule->action->data == SET_DST_PORT;
	struct addr *addr;
	struct sample smp;

	if (expr_eval_as(rule->expr, view, place, port ? SMP_INT : SMP_ADDR, &smp) != EXPR_FOUND)
		return ACTION_NEXT;
	addr = action_target(rule, view, place);
	if (!addr)
		return ACTION_ERROR;
	if (port)
		set_port(addr, smp.num);
	else
		set_host(addr, &smp);
	return ACTION_NEXT;
}

/* -- silent-drop ------------------------------------------------------------------------- */

/* "rst-ttl <hops>" */
int parse_silent_drop(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	if (!stmt_take(st, "rst-ttl"))
		return 0;
	return stmt_int(st, "how many hops the reset passes", 1, 255, &rule->num);
}

/* With rst-ttl the reset is meant for firewalls on the first hops. */
enum action_result action_silent_drop(const struct rule *rule, struct view *view,
				      unsigned place)
{
	(void)place;
	link_vanish(view->client_link, (unsigned)rule->num);
	return ACTION_DROP;
}

enum { EXPECT_PROXY, EXPECT_CIP };

static int parse_expect(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	if (!stmt_take(st, "layer4"))
		return stmt_error(st, st->at, "'%s' takes 'layer4'", rule->action->name);
	return 0;
}

static enum action_result action_expect(const struct rule *rule, struct view *view,
					unsigned place)
{
	struct origin *origin = view->origin;

	(void)place;
	if (rule->action->data == EXPECT_CIP)
		origin->expects_cip = true;
	else
		origin->expects_proxy = true;
	return ACTION_NEXT;
}

#define SET_ADDR(name, what, lists, text)                                                     \
	{ name, .where = lists, .parse = parse_addr_expr, .run = action_addr, .data = what,    \
	  .help = text }

const struct action tcp_actions[] = {
	{ "expect-netscaler-cip", .where = AT_CONN, .parse = parse_expect, .run = action_expect,
	  .data = EXPECT_CIP,
	  .help = "the connection begins with a NetScaler Client IP header: 'layer4'" },
	{ "expect-proxy", .where = AT_CONN, .parse = parse_expect, .run = action_expect,
	  .data = EXPECT_PROXY, .help = "the connection begins with a PROXY header: 'layer4'" },
	SET_ADDR("set-src", SET_SRC, AT_CONN | AT_SESSION | AT_REQUESTS,
		 "takes another address for the client's"),
	SET_ADDR("set-src-port", SET_SRC_PORT, AT_CONN | AT_SESSION | AT_REQUESTS,
		 "takes another port for the client's"),
	SET_ADDR("set-dst", SET_DST, AT_CONN | AT_SESSION | AT_REQUESTS,
		 "takes another address for the one that the client connected to"),
	SET_ADDR("set-dst-port", SET_DST_PORT, AT_CONN | AT_SESSION | AT_REQUESTS,
		 "takes another port for the one that the client connected to"),
	{ "silent-drop", .final = true, .refuses = true, .where = ALL_LISTS,
	  .parse = parse_silent_drop, .run = action_silent_drop,
	  .help = "lets the connection vanish without telling the client" },
	{ 0 },
};
