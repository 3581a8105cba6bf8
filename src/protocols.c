/* SPDX-License-Identifier: BSD-2-Clause */
/* Who carries each protocol of messages: of clients and to servers. What the protocols are called,
 * and what they can do, is the other table, net/proto.h. */
#include "exchange/server_conn.h"
#include "h1/end.h"
#include "proxy/server.h"
#include "session/client_protos.h"
#include "session/h2_carrier.h"
#include "session/keepalive.h"

const struct client_proto client_protos[PROTO_COUNT] = {
	[PROTO_H1] = { .begin = keepalive_wait },
	[PROTO_H2] = { h2_carrier_begin, h2_carrier_finish, h2_carrier_close_all },
};

const struct server_carrier_ops *server_carriers[SERVER_CARRIERS] = {
	[CARRIER_OF(PROTO_H1)] = &single_server_carrier,
	[CARRIER_OF(PROTO_H2)] = &h2_server_carrier,
	[CARRIER_BY_ALPN] = &agreed_server_carrier,
	[CARRIER_ONCE] = &once_server_carrier,
};

/* The protocol of plain connections that carry messages (relay/message_end.h). */
bool (*const end_speak)(struct end *end, unsigned how, struct arena *arena, struct buf **held) =
	h1_speak;
