/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of connections and of what they belong to: addresses, ports, names and numbers of
 * frontend, listener, backend and server, TCP measurements (manual 7.3.3). They look at the
 * view alone; the address that a client connected to is asked for when it is needed. */
#include "base/err.h"
#include "expr/tables.h"
#include "expr/view.h"
#include "proxy/sums.h"
#include "tls/link.h"

#include <unistd.h>

/* -- addresses -------------------------------------------------------------------------- */

enum { SIDE_SRC, SIDE_DST, SIDE_SERVER_SRC, SIDE_SERVER_DST, SIDE_SESSION_SRC, SIDE_SESSION_DST };

/* NULL: not known. */
static const struct addr *net_addr(const struct view *view, int side, struct addr *memory)
{
	switch (side) {
	case SIDE_SRC:
		return view->src;
	case SIDE_DST:
		return view_dst(view, memory);
	case SIDE_SESSION_SRC:
		return view->session_src;
	case SIDE_SESSION_DST:
		if (view->session_dst)
			return view->session_dst;
		return link_original_dst(view->client_link, memory) ? memory : NULL;
	case SIDE_SERVER_SRC:
		return view_server_src(view, memory);
	default:
		return view_server_dst(view, memory);
	}
}

static enum expr_result fetch_addr(struct fetch_call *call, struct sample *smp)
{
	struct addr found;
	const struct addr *addr = net_addr(call->view, call->row->data, &found);

	if (!addr)
		return EXPR_NONE;
	if (addr->family == AF_INET) {
		smp->type = SMP_IPV4;
		smp->v4 = addr->v4;
		return EXPR_FOUND;
	}
	if (addr->family == AF_INET6) {
		smp->type = SMP_IPV6;
		smp->v6 = addr->v6;
		return EXPR_FOUND;
	}
	return EXPR_NONE;
}

static enum expr_result fetch_port(struct fetch_call *call, struct sample *smp)
{
	struct addr found;
	const struct addr *addr = net_addr(call->view, call->row->data, &found);

	if (!addr || (addr->family != AF_INET && addr->family != AF_INET6))
		return EXPR_NONE;
	smp->num = addr->port;
	return EXPR_FOUND;
}

/* The system lets us bind only to its own addresses. */
static bool net_is_local(const struct addr *addr)
{
	struct sockaddr_storage ss;
	struct addr any = *addr;
	socklen_t len;
	bool local;
	int fd;

	if (addr->family == AF_UNIX)
		return true;
	any.port = 0;
	len = addr_to_sockaddr(&any, &ss);
	fd = socket(addr->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	local = bind(fd, (struct sockaddr *)&ss, len) == 0;
	close(fd);
	return local;
}

static enum expr_result fetch_is_local(struct fetch_call *call, struct sample *smp)
{
	struct addr found;
	const struct addr *addr = net_addr(call->view, call->row->data, &found);

	if (!addr)
		return EXPR_NONE;
	smp->num = net_is_local(addr);
	return EXPR_FOUND;
}

/* -- whose connection it is ------------------------------------------------------------- */

static enum expr_result net_text(struct sample *smp, const char *text)
{
	if (!text)
		return EXPR_NONE;
	smp->str = span_of(text);
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

static enum expr_result net_number(struct sample *smp, bool known, int64_t num)
{
	smp->num = num;
	return known ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_dst_conn(struct fetch_call *call, struct sample *smp)
{
	const struct listener *l = call->view->listener;

	return net_number(smp, l, l ? listener_sessions(l) : 0);
}

static enum expr_result fetch_rcvd_proxy(struct fetch_call *call, struct sample *smp)
{
	smp->num = call->view->has_proxy_header;
	return EXPR_FOUND;
}

/* Here rather than with the rest about TLS (fetch_tls.c), since every build can tell:
 * "redirect scheme https unless { ssl_fc }". */
static enum expr_result fetch_is_tls(struct fetch_call *call, struct sample *smp)
{
	const struct view *view = call->view;

	smp->num = call->row->data ? tls_link_is(view->server_link) || view->server_tls_failed
				   : tls_link_is(view->client_link);
	return EXPR_FOUND;
}

static enum expr_result fetch_so_id(struct fetch_call *call, struct sample *smp)
{
	const struct listener *l = call->view->listener;

	return net_number(smp, l, l ? l->id : 0);
}

static enum expr_result fetch_so_name(struct fetch_call *call, struct sample *smp)
{
	const struct listener *l = call->view->listener;

	return net_text(smp, l ? l->bind->name : NULL);
}

static const struct proxy *net_proxy(const struct fetch_call *call)
{
	return call->row->data == PROXY_FRONTEND ? call->view->frontend : call->view->backend;
}

static enum expr_result fetch_proxy_id(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = net_proxy(call);

	return net_number(smp, px, px ? px->uuid : 0);
}

static enum expr_result fetch_proxy_name(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = net_proxy(call);

	return net_text(smp, px ? px->name : NULL);
}

static enum expr_result fetch_fe_defbe(struct fetch_call *call, struct sample *smp)
{
	const struct proxy *px = call->view->frontend;

	return net_text(smp, px && px->default_backend ? px->default_backend->name : NULL);
}

static enum expr_result fetch_srv_id(struct fetch_call *call, struct sample *smp)
{
	const struct server *s = call->view->server;

	return net_number(smp, s, s ? s->puid : 0);
}

static enum expr_result fetch_srv_name(struct fetch_call *call, struct sample *smp)
{
	const struct server *s = call->view->server;

	return net_text(smp, s ? s->id : NULL);
}

static enum expr_result fetch_priority(struct fetch_call *call, struct sample *smp)
{
	const struct view_treatment *set = call->view->treatment;

	smp->num = !set ? 0 : call->row->data ? set->priority_offset : set->priority_class;
	return call->view->stream ? EXPR_FOUND : EXPR_NONE;
}

/* -- TCP measurements of a connection --------------------------------------------------- */

enum { TCP_RTT, TCP_RTTVAR, TCP_UNACKED, TCP_SACKED, TCP_LOST, TCP_RETRANS, TCP_FACKETS,
       TCP_REORDERING, OF_SERVER = 1 << 8 /* of its connection, not the client's */ };

static int check_rtt_unit(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *unit = args[0].type == ARG_STR ? args[0].str.ptr : "ms";

	(void)ctx;
	if (*unit && strcmp(unit, "ms") && strcmp(unit, "us"))
		return err_set(err, "the unit must be us or ms, not '%s'", unit);
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = strcmp(unit, "us") ? 1000 : 1 };
	return 0;
}

static int64_t net_path_value(const struct link_path *path, int what, int64_t unit)
{
	switch (what) {
	case TCP_RTT:
		return path->rtt_us / unit;
	case TCP_RTTVAR:
		return path->rttvar_us / unit;
	case TCP_UNACKED:
		return path->unacked;
	case TCP_SACKED:
		return path->sacked;
	case TCP_LOST:
		return path->lost;
	case TCP_RETRANS:
		return path->retrans;
	case TCP_FACKETS:
		return path->fackets;
	default:
		return path->reordering;
	}
}

static enum expr_result fetch_tcp_info(struct fetch_call *call, struct sample *smp)
{
	bool server = call->row->data & OF_SERVER;
	struct link link = server ? call->view->server_link : call->view->client_link;
	struct link_path path;

	if (!link_path(link, &path))
		return EXPR_NONE;
	smp->num = net_path_value(&path, call->row->data & ~OF_SERVER, call->args[0].num);
	return EXPR_FOUND;
}

static enum expr_result fetch_reused(struct fetch_call *call, struct sample *smp)
{
	smp->num = call->view->server_reused;
	return EXPR_FOUND;
}

/* -- the rule that had the last word ---------------------------------------------------- */

static enum expr_result fetch_last_rule(struct fetch_call *call, struct sample *smp)
{
	const struct location *last = call->view->last_rule;

	if (!last)
		return EXPR_NONE;
	if (!call->row->data)
		return net_text(smp, last->file);
	smp->num = last->line;
	return EXPR_FOUND;
}

#define ADDR_ROW(name, from, side, text)                                                      \
	{ name, { 0 }, SMP_ADDR, from, fetch_addr, .data = side, .help = text }
#define PORT_ROW(name, from, side, text)                                                      \
	{ name, { 0 }, SMP_INT, from, fetch_port, .data = side, .help = text }
#define LOCAL_ROW(name, side, text)                                                           \
	{ name, { 0 }, SMP_BOOL, FROM_CONNECTION, fetch_is_local, .data = side, .help = text }
#define TCP_ROW(name, what, text)                                                             \
	{ name, { 0 }, SMP_INT, FROM_CONNECTION, fetch_tcp_info, .data = what, .help = text }
const struct fetch fetch_net[] = {
	ADDR_ROW("bc_dst", FROM_SERVER, SIDE_SERVER_DST, "address that we connected to"),
	PORT_ROW("bc_dst_port", FROM_SERVER, SIDE_SERVER_DST, "port that we connected to"),
	{ "bc_reused", { 0 }, SMP_BOOL, AT_STREAM, fetch_reused,
	  .help = "has the connection to the server carried another request before?" },
	{ "bc_rtt", ARGS(0, ARG_STR), SMP_INT, AT_STREAM, fetch_tcp_info, check_rtt_unit,
	  .data = TCP_RTT | OF_SERVER, .help = "round trip time to the server, in ms or us" },
	{ "bc_rttvar", ARGS(0, ARG_STR), SMP_INT, AT_STREAM, fetch_tcp_info, check_rtt_unit,
	  .data = TCP_RTTVAR | OF_SERVER,
	  .help = "variation of the round trip time to the server, in ms or us" },
	ADDR_ROW("bc_src", FROM_SERVER, SIDE_SERVER_SRC, "address that we connected from"),
	PORT_ROW("bc_src_port", FROM_SERVER, SIDE_SERVER_SRC, "port that we connected from"),
	{ "be_id", { 0 }, SMP_INT, FROM_BACKEND, fetch_proxy_id, .data = PROXY_BACKEND,
	  .help = "number of the backend" },
	{ "be_name", { 0 }, SMP_STR, FROM_BACKEND, fetch_proxy_name, .data = PROXY_BACKEND,
	  .help = "name of the backend" },
	ADDR_ROW("dst", FROM_CONNECTION, SIDE_DST, "address that the client connected to"),
	{ "dst_conn", { 0 }, SMP_INT, FROM_CONNECTION, fetch_dst_conn,
	  .help = "connections on the listening socket" },
	LOCAL_ROW("dst_is_local", SIDE_DST, "is dst an address of this system?"),
	PORT_ROW("dst_port", FROM_CONNECTION, SIDE_DST, "port that the client connected to"),
	ADDR_ROW("fc_dst", FROM_CONNECTION, SIDE_SESSION_DST, "dst of the connection: only its own rules change it"),
	LOCAL_ROW("fc_dst_is_local", SIDE_SESSION_DST, "is fc_dst an address of this system?"),
	PORT_ROW("fc_dst_port", FROM_CONNECTION, SIDE_SESSION_DST,
		 "dst_port, whatever rules have made of it"),
	ADDR_ROW("fc_src", FROM_CONNECTION, SIDE_SESSION_SRC, "src of the connection: only its own rules change it"),
	LOCAL_ROW("fc_src_is_local", SIDE_SESSION_SRC, "is fc_src an address of this system?"),
	PORT_ROW("fc_src_port", FROM_CONNECTION, SIDE_SESSION_SRC,
		 "src_port, whatever rules have made of it"),
	TCP_ROW("fc_fackets", TCP_FACKETS, "forward acknowledgements counted by the kernel"),
	TCP_ROW("fc_lost", TCP_LOST, "segments that the kernel takes for lost"),
	TCP_ROW("fc_reordering", TCP_REORDERING, "reordering measured by the kernel"),
	TCP_ROW("fc_retrans", TCP_RETRANS, "segments sent again and not acknowledged yet"),
	{ "fc_rtt", ARGS(0, ARG_STR), SMP_INT, FROM_CONNECTION, fetch_tcp_info, check_rtt_unit,
	  .data = TCP_RTT, .help = "round trip time, in ms or us" },
	{ "fc_rttvar", ARGS(0, ARG_STR), SMP_INT, FROM_CONNECTION, fetch_tcp_info, check_rtt_unit,
	  .data = TCP_RTTVAR, .help = "variation of the round trip time, in ms or us" },
	TCP_ROW("fc_sacked", TCP_SACKED, "segments acknowledged out of order"),
	TCP_ROW("fc_unacked", TCP_UNACKED, "segments sent and not acknowledged"),
	{ "fe_defbe", { 0 }, SMP_STR, FROM_FRONTEND, fetch_fe_defbe,
	  .help = "name of the frontend's default backend" },
	{ "fe_id", { 0 }, SMP_INT, FROM_FRONTEND, fetch_proxy_id, .data = PROXY_FRONTEND,
	  .help = "number of the frontend" },
	{ "fe_name", { 0 }, SMP_STR, FROM_FRONTEND, fetch_proxy_name, .data = PROXY_FRONTEND,
	  .help = "name of the frontend" },
	{ "fc_rcvd_proxy", { 0 }, SMP_BOOL, FROM_CONNECTION, fetch_rcvd_proxy,
	  .help = "were the addresses told by a PROXY header?" },
	{ "last_rule_file", { 0 }, SMP_STR, AT_STREAM, fetch_last_rule, .data = 0,
	  .help = "file of the rule that has ended a list of content or HTTP rules" },
	{ "last_rule_line", { 0 }, SMP_INT, AT_STREAM, fetch_last_rule, .data = 1,
	  .help = "line of the rule that has ended a list of content or HTTP rules" },
	{ "prio_class", { 0 }, SMP_INT, FROM_FRONTEND, fetch_priority, .data = 0,
	  .help = "class in queues: set-priority-class" },
	{ "prio_offset", { 0 }, SMP_INT, FROM_FRONTEND, fetch_priority, .data = 1,
	  .help = "offset in queues, in ms: set-priority-offset" },
	{ "so_id", { 0 }, SMP_INT, FROM_CONNECTION, fetch_so_id,
	  .help = "number of the listening socket" },
	{ "ssl_bc", { 0 }, SMP_BOOL, FROM_SERVER, fetch_is_tls, .data = 1,
	  .help = "is the connection to the server a TLS one?" },
	{ "ssl_fc", { 0 }, SMP_BOOL, AT_SESSION | AT_STREAM, fetch_is_tls, .data = 0,
	  .help = "is the client's connection a TLS one?" },
	{ "so_name", { 0 }, SMP_STR, FROM_CONNECTION, fetch_so_name,
	  .help = "name on the bind line" },
	ADDR_ROW("src", FROM_CONNECTION, SIDE_SRC, "address of the client"),
	LOCAL_ROW("src_is_local", SIDE_SRC, "is src an address of this system?"),
	PORT_ROW("src_port", FROM_CONNECTION, SIDE_SRC, "port of the client"),
	{ "srv_id", { 0 }, SMP_INT, FROM_SERVER, fetch_srv_id, .help = "number of the server" },
	{ "srv_name", { 0 }, SMP_STR, FROM_SERVER, fetch_srv_name, .help = "name of the server" },
	{ 0 },
};
