/* SPDX-License-Identifier: BSD-2-Clause */
/* penstock_pair, the sock_ops program of colocate/: who is whose peer. It runs when a connection of
 * the control group is established or closed, and, until a first message was queued, for each of
 * its packets. doc/internals/colocate.md explains its steps. */
#include "colocate/pair.h"

#include "colocate/code.h"

#include <sys/socket.h>

#define OPS(name) ((int)offsetof(struct bpf_sock_ops, name))

enum { SETTINGS = R7, OP = R8, PORT = R9, OTHER = R8, MINE = R9 };
enum { PEER_AT = -32, END = PEER_AT - (int)sizeof(struct colocate_end),
       KEY = END - (int)sizeof(struct colocate_key),
       MIRROR = KEY - (int)sizeof(struct colocate_key) };
enum label { ACTIVE = 1, OPENED, V4, ADDRESSED, NOT_V4, NEAR, FAR, KNOWN, TAKEN, REFUSED, PACKET,
	     PAIRED, ENOUGH, STATE, NOT_MINE, DONE };

#define KEY_AT(name) (KEY + (int)offsetof(struct colocate_key, name))
#define MIRROR_AT(name) (MIRROR + (int)offsetof(struct colocate_key, name))
#define FROM_CTX32(at, name) LOAD32(R1, CTX, OPS(name)), STORE32(STACK, at, R1)
#define COPY_KEY(to, at, from, from_at)                                                       \
	COPY64(to, at, from, from_at), COPY64(to, (at) + 8, from, (from_at) + 8),             \
	COPY64(to, (at) + 16, from, (from_at) + 16), COPY64(to, (at) + 24, from, (from_at) + 24), \
	COPY64(to, (at) + 32, from, (from_at) + 32), COPY64(to, (at) + 40, from, (from_at) + 40)
#define SUM(name) LOAD64(R1, MINE, FLOW_AT(name)), GROW(R0, TOTAL(name), R1)

/* Why it runs; of a new connection: which port is the server's, and is it ours to see to? */
static void step_begin(struct code *c)
{
	APPEND(c,
		SET(CTX, R1),
		LOAD64(R1, CTX, OPS(sk)),
		IF_N(BPF_JEQ, R1, 0, DONE),
		STORE64(STACK, SELF, R1),
		STORE32_N(STACK, INDEX, 0),
		LOAD32(OP, CTX, OPS(op)),
		IF_N(BPF_JEQ, OP, BPF_SOCK_OPS_HDR_OPT_LEN_CB, PACKET),
		IF_N(BPF_JEQ, OP, BPF_SOCK_OPS_STATE_CB, STATE),
		IF_N(BPF_JEQ, OP, BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB, ACTIVE),
		IF_N(BPF_JNE, OP, BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB, DONE),
		LOAD32(PORT, CTX, OPS(local_port)),
		GOTO(OPENED),
		LABEL(ACTIVE),
		LOAD32(PORT, CTX, OPS(remote_port)), HOST32(PORT),
		LABEL(OPENED),
		AND_N(PORT, 0xffff),
		LOOK_UP(SETTINGS, INDEX),
		IF_N(BPF_JEQ, R0, 0, DONE),
		SET(SETTINGS, R0),
		LOAD64(R1, SETTINGS, SETTING(on)),
		IF_N(BPF_JEQ, R1, 0, DONE),
		SET(R1, SETTINGS), ADD(R1, PORT), LOAD8(R1, R1, SETTING(ports)),
		IF_N(BPF_JEQ, R1, 0, DONE));
}

static void step_key(struct code *c)
{
	APPEND(c,
		STORE64_N(STACK, KEY_AT(net), 0),
		LOAD32(R1, CTX, OPS(local_port)), STORE16(STACK, KEY_AT(local_port), R1),
		LOAD32(R1, CTX, OPS(remote_port)), HOST32(R1),
		STORE16(STACK, KEY_AT(remote_port), R1),
		STORE32_N(STACK, KEY_AT(unused), 0),
		LOAD32(R1, CTX, OPS(family)),
		IF_N(BPF_JEQ, R1, AF_INET, V4),
		IF_N(BPF_JNE, R1, AF_INET6, DONE),
		FROM_CTX32(KEY_AT(local[0]), local_ip6[0]),
		FROM_CTX32(KEY_AT(local[1]), local_ip6[1]),
		FROM_CTX32(KEY_AT(local[2]), local_ip6[2]),
		FROM_CTX32(KEY_AT(local[3]), local_ip6[3]),
		FROM_CTX32(KEY_AT(remote[0]), remote_ip6[0]),
		FROM_CTX32(KEY_AT(remote[1]), remote_ip6[1]),
		FROM_CTX32(KEY_AT(remote[2]), remote_ip6[2]),
		FROM_CTX32(KEY_AT(remote[3]), remote_ip6[3]),
		GOTO(ADDRESSED),
		LABEL(V4),
		STORE64_N(STACK, KEY_AT(local[0]), 0),
		STORE64_N(STACK, KEY_AT(remote[0]), 0),
		SET_N(R1, 0xffff), HOST32(R1),
		STORE32(STACK, KEY_AT(local[2]), R1), STORE32(STACK, KEY_AT(remote[2]), R1),
		FROM_CTX32(KEY_AT(local[3]), local_ip4),
		FROM_CTX32(KEY_AT(remote[3]), remote_ip4),
		LABEL(ADDRESSED));
}

/* Loopback: 127.0.0.0/8, ::1. Each network namespace has one of its own. */
static void step_near_or_far(struct code *c)
{
	APPEND(c,
		LOAD64(R1, STACK, KEY_AT(local[0])),
		IF_N(BPF_JNE, R1, 0, FAR),
		LOAD32(R1, STACK, KEY_AT(local[2])), HOST32(R1),
		IF_N(BPF_JNE, R1, 0xffff, NOT_V4),
		LOAD8(R1, STACK, KEY_AT(local[3])),
		IF_N(BPF_JEQ, R1, 127, NEAR),
		GOTO(FAR),
		LABEL(NOT_V4),
		IF_N(BPF_JNE, R1, 0, FAR),
		LOAD32(R1, STACK, KEY_AT(local[3])), HOST32(R1),
		IF_N(BPF_JNE, R1, 1, FAR),
		LABEL(NEAR),
		SET(R1, CTX),
		CALL(get_netns_cookie),
		STORE64(STACK, KEY_AT(net), R0),
		GOTO(KNOWN),
		LABEL(FAR),
		LOAD64(R1, SETTINGS, SETTING(loopback_only)),
		IF_N(BPF_JNE, R1, 0, DONE),
		LABEL(KNOWN));
}

/* What it sends. */
static void step_flow(struct code *c)
{
	APPEND(c,
		MAP(R1, COLOCATE_MAP_FLOWS), SET(R2, STACK), ADD_N(R2, SELF),
		SET(R3, SETTINGS), ADD_N(R3, SETTING(blank)), SET_N(R4, BPF_ANY),
		CALL(map_update_elem),
		IF_N(BPF_JNE, R0, 0, DONE),
		LOOK_UP(FLOWS, SELF),
		IF_N(BPF_JEQ, R0, 0, DONE),
		SET(MINE, R0),
		COPY64(MINE, FLOW_AT(self), STACK, SELF),
		SET(R1, CTX),
		CALL(get_socket_cookie),
		STORE64(STACK, COOKIE, R0),
		STORE64(MINE, FLOW_AT(cookie), R0),
		LOAD32(R1, CTX, OPS(snd_nxt)), STORE32(MINE, FLOW_AT(sent), R1),
		LOAD32(R1, CTX, OPS(rcv_nxt)), STORE32(MINE, FLOW_AT(received), R1),
		COPY_KEY(MINE, FLOW_AT(key), STACK, KEY));
}

/* Others find it by its key, unless somebody else has it. */
static void step_enter(struct code *c)
{
	APPEND(c,
		COPY64(STACK, END + END_AT(self), STACK, SELF),
		STORE64_N(STACK, END + END_AT(shared), 0),
		MAP(R1, COLOCATE_MAP_ENDS), SET(R2, STACK), ADD_N(R2, KEY),
		SET(R3, STACK), ADD_N(R3, END),
		SET_N(R4, BPF_NOEXIST),
		CALL(map_update_elem),
		IF_N(BPF_JNE, R0, 0, TAKEN),
		SET(R1, CTX), MAP(R2, COLOCATE_MAP_SOCKETS), SET(R3, STACK), ADD_N(R3, COOKIE),
		SET_N(R4, BPF_NOEXIST),
		CALL(sock_hash_update),
		IF_N(BPF_JNE, R0, 0, REFUSED),
		SET(R1, CTX), LOAD32(R2, CTX, OPS(bpf_sock_ops_cb_flags)),
		OR_N(R2, BPF_SOCK_OPS_STATE_CB_FLAG | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG),
		CALL(sock_ops_cb_flags_set));
}

/* Is the other end there? Whoever comes second finds it. */
static void step_find(struct code *c)
{
	APPEND(c,
		COPY64(STACK, MIRROR_AT(net), STACK, KEY_AT(net)),
		COPY64(STACK, MIRROR_AT(local[0]), STACK, KEY_AT(remote[0])),
		COPY64(STACK, MIRROR_AT(local[2]), STACK, KEY_AT(remote[2])),
		COPY64(STACK, MIRROR_AT(remote[0]), STACK, KEY_AT(local[0])),
		COPY64(STACK, MIRROR_AT(remote[2]), STACK, KEY_AT(local[2])),
		LOAD16(R1, STACK, KEY_AT(remote_port)),
		STORE16(STACK, MIRROR_AT(local_port), R1),
		LOAD16(R1, STACK, KEY_AT(local_port)),
		STORE16(STACK, MIRROR_AT(remote_port), R1),
		STORE32_N(STACK, MIRROR_AT(unused), 0),
		LOOK_UP(ENDS, MIRROR),
		IF_N(BPF_JEQ, R0, 0, DONE),
		LOAD64(R1, R0, END_AT(shared)),
		IF_N(BPF_JNE, R1, 0, DONE),
		COPY64(STACK, PEER_AT, R0, END_AT(self)),
		LOOK_UP(FLOWS, PEER_AT),
		IF_N(BPF_JEQ, R0, 0, DONE),
		SET(OTHER, R0));
}

/* The same connection, and not one of another network with the same addresses. */
static void step_marry(struct code *c)
{
	APPEND(c,
		LOAD32(R1, MINE, FLOW_AT(sent)), LOAD32(R2, OTHER, FLOW_AT(received)),
		IF(BPF_JNE, R1, R2, DONE),
		LOAD32(R1, MINE, FLOW_AT(received)), LOAD32(R2, OTHER, FLOW_AT(sent)),
		IF(BPF_JNE, R1, R2, DONE),
		COPY64(MINE, FLOW_AT(peer), OTHER, FLOW_AT(self)),
		COPY64(MINE, FLOW_AT(peer_cookie), OTHER, FLOW_AT(cookie)),
		COPY64(OTHER, FLOW_AT(peer), MINE, FLOW_AT(self)),
		COPY64(OTHER, FLOW_AT(peer_cookie), MINE, FLOW_AT(cookie)),
		GOTO(DONE));
}

static void step_not_entered(struct code *c)
{
	APPEND(c,
		LABEL(TAKEN),
		LOOK_UP(ENDS, KEY),
		IF_N(BPF_JEQ, R0, 0, NOT_MINE),
		STORE64_N(R0, END_AT(shared), 1),
		GOTO(NOT_MINE),
		LABEL(REFUSED),
		REMOVE(ENDS, KEY),
		GOTO(NOT_MINE));
}

/* It sends a packet: an answer by TCP, or that it got one. Where its peer has found that it blocks,
 * and has never queued anything for it, it leaves the map, and is a socket like others again. */
static void step_packet(struct code *c)
{
	APPEND(c,
		LABEL(PACKET),
		LOOK_UP(FLOWS, SELF),
		IF_N(BPF_JEQ, R0, 0, ENOUGH),
		SET(MINE, R0),
		LOAD64(R1, MINE, FLOW_AT(peer_cookie)),
		IF_N(BPF_JNE, R1, 0, PAIRED),
		/* the peer comes with the first packets, or never */
		LOAD64(R1, MINE, FLOW_AT(packets)), ADD_N(R1, 1),
		STORE64(MINE, FLOW_AT(packets), R1),
		IF_N(BPF_JGT, R1, COLOCATE_PACKETS_ALONE, ENOUGH),
		GOTO(DONE),
		LABEL(PAIRED),
		COPY64(STACK, PEER_AT, MINE, FLOW_AT(peer)),
		LOOK_UP(FLOWS, PEER_AT),
		IF_N(BPF_JEQ, R0, 0, ENOUGH),
		LOAD64(R1, R0, FLOW_AT(cookie)), LOAD64(R2, MINE, FLOW_AT(peer_cookie)),
		IF(BPF_JNE, R1, R2, ENOUGH),
		LOAD64(R1, R0, FLOW_AT(queue_messages)),
		IF_N(BPF_JNE, R1, 0, ENOUGH),
		LOAD64(R1, R0, FLOW_AT(left)),
		IF_N(BPF_JEQ, R1, 0, DONE),
		COPY64(STACK, COOKIE, MINE, FLOW_AT(cookie)),
		REMOVE(SOCKETS, COOKIE),
		LABEL(ENOUGH),
		SET(R1, CTX), LOAD32(R2, CTX, OPS(bpf_sock_ops_cb_flags)),
		AND_N(R2, ~BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG),
		CALL(sock_ops_cb_flags_set),
		GOTO(DONE));
}

static void step_closed(struct code *c)
{
	APPEND(c,
		LABEL(STATE),
		LOAD32(R1, CTX, OPS(args[1])),
		IF_N(BPF_JNE, R1, BPF_TCP_CLOSE, DONE),
		LOOK_UP(FLOWS, SELF),
		IF_N(BPF_JEQ, R0, 0, DONE),
		SET(MINE, R0),
		COPY_KEY(STACK, KEY, MINE, FLOW_AT(key)),
		LOOK_UP(TOTALS, INDEX),
		IF_N(BPF_JEQ, R0, 0, DONE),
		SET_N(R1, 1), GROW(R0, TOTAL(flows), R1),
		SUM(queue_bytes), SUM(queue_messages), SUM(tcp_bytes), SUM(tcp_messages),
		SUM(behind), SUM(unfit), SUM(spins),
		LOOK_UP(ENDS, KEY),
		IF_N(BPF_JEQ, R0, 0, NOT_MINE),
		LOAD64(R1, R0, END_AT(self)), LOAD64(R2, MINE, FLOW_AT(self)),
		IF(BPF_JNE, R1, R2, NOT_MINE),
		REMOVE(ENDS, KEY),
		LABEL(NOT_MINE),
		REMOVE(FLOWS, SELF),
		LABEL(DONE),
		SET_N(R0, 0),
		RETURN);
}

int colocate_pair_load(const int *maps, const struct bpf_log *log)
{
	struct code c = { .len = 0 };
	struct bpf_insn linked[ARRAY_LEN(c.rows)];

	step_begin(&c);
	step_key(&c);
	step_near_or_far(&c);
	step_flow(&c);
	step_enter(&c);
	step_find(&c);
	step_marry(&c);
	step_not_entered(&c);
	step_packet(&c);
	step_closed(&c);
	return bpf_program_load(&(struct bpf_program){
		.type = BPF_PROG_TYPE_SOCK_OPS,
		.attach_type = BPF_CGROUP_SOCK_OPS,
		.name = "penstock_pair",
		.code = linked,
		.len = bpf_code_link(linked, c.rows, c.len, maps),
	}, log);
}
