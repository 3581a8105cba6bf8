/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of colocate/ and their maps. doc/internals/colocate.md explains them line by line.
 *
 * Sockets are known by their address in the kernel, which both programs are given; what stands
 * there is read as memory that may be somebody else's by now. So the cookie of a peer is read last,
 * and the socket that gets the bytes is found by its cookie, which is never used again. */
#include "colocate/programs.h"

#include "base/bug.h"
#include "net/bpf.h"
#include "net/bpf_code.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

const char *const colocate_map_names[COLOCATE_MAPS] = { "settings", "totals", "ends", "flows",
							"sockets" };

#define OPS(name) ((int)offsetof(struct bpf_sock_ops, name))
#define MSG(name) ((int)offsetof(struct sk_msg_md, name))
#define FLOW_AT(name) ((int)offsetof(struct colocate_flow, name))
#define END_AT(name) ((int)offsetof(struct colocate_end, name))
#define SETTING(name) ((int)offsetof(struct colocate_settings, name))
#define TOTAL(name) ((int)offsetof(struct colocate_totals, name))

/* What is called with a map and a key on the stack. */
#define WITH_KEY(function, map, key) \
	MAP(R1, COLOCATE_MAP_##map), SET(R2, STACK), ADD_N(R2, key), CALL(function)
#define LOOK_UP(map, key) WITH_KEY(map_lookup_elem, map, key)
#define REMOVE(map, key) WITH_KEY(map_delete_elem, map, key)
#define COPY64(to, at, from, from_at) LOAD64(R1, from, from_at), STORE64(to, at, R1)

enum { CTX = R6, KEY_SIZE = sizeof(struct colocate_key) };

/* Places on the stack that both programs have. */
enum { SELF = -8, INDEX = -16, COOKIE = -24 };

/* ---- who is whose peer --------------------------------------------------------------------- */

enum { SETTINGS = R7, OP = R8, PORT = R9, OTHER = R8, MINE = R9 };
enum { PEER_AT = -32, END = PEER_AT - (int)sizeof(struct colocate_end), KEY = END - KEY_SIZE,
       MIRROR = KEY - KEY_SIZE };
enum pair_label { ACTIVE = 1, OPENED, V4, ADDRESSED, NOT_V4, NEAR, FAR, KNOWN, TAKEN, REFUSED,
		  STATE, NOT_MINE, DONE };

#define KEY_AT(name) (KEY + (int)offsetof(struct colocate_key, name))
#define MIRROR_AT(name) (MIRROR + (int)offsetof(struct colocate_key, name))
#define FROM_CTX32(at, name) LOAD32(R1, CTX, OPS(name)), STORE32(STACK, at, R1)
#define COPY_KEY(to, at, from, from_at)                                                       \
	COPY64(to, at, from, from_at), COPY64(to, (at) + 8, from, (from_at) + 8),             \
	COPY64(to, (at) + 16, from, (from_at) + 16), COPY64(to, (at) + 24, from, (from_at) + 24), \
	COPY64(to, (at) + 32, from, (from_at) + 32), COPY64(to, (at) + 40, from, (from_at) + 40)
#define SUM(name) LOAD64(R1, MINE, FLOW_AT(name)), GROW(R0, TOTAL(name), R1)

static const struct bpf_insn pair_code[] = {
	SET(CTX, R1),
	LOAD64(R1, CTX, OPS(sk)),
	IF_N(BPF_JEQ, R1, 0, DONE),
	STORE64(STACK, SELF, R1),
	STORE32_N(STACK, INDEX, 0),
	LOAD32(OP, CTX, OPS(op)),
	IF_N(BPF_JEQ, OP, BPF_SOCK_OPS_STATE_CB, STATE),
	/* a connection is there: which port is the server's, and is it ours to see to? */
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
	IF_N(BPF_JEQ, R1, 0, DONE),
	/* its key */
	STORE64_N(STACK, KEY_AT(net), 0),
	LOAD32(R1, CTX, OPS(local_port)), STORE16(STACK, KEY_AT(local_port), R1),
	LOAD32(R1, CTX, OPS(remote_port)), HOST32(R1), STORE16(STACK, KEY_AT(remote_port), R1),
	STORE32_N(STACK, KEY_AT(unused), 0),
	LOAD32(R1, CTX, OPS(family)),
	IF_N(BPF_JEQ, R1, AF_INET, V4),
	IF_N(BPF_JNE, R1, AF_INET6, DONE),
	FROM_CTX32(KEY_AT(local[0]), local_ip6[0]), FROM_CTX32(KEY_AT(local[1]), local_ip6[1]),
	FROM_CTX32(KEY_AT(local[2]), local_ip6[2]), FROM_CTX32(KEY_AT(local[3]), local_ip6[3]),
	FROM_CTX32(KEY_AT(remote[0]), remote_ip6[0]), FROM_CTX32(KEY_AT(remote[1]), remote_ip6[1]),
	FROM_CTX32(KEY_AT(remote[2]), remote_ip6[2]), FROM_CTX32(KEY_AT(remote[3]), remote_ip6[3]),
	GOTO(ADDRESSED),
	LABEL(V4),
	STORE64_N(STACK, KEY_AT(local[0]), 0),
	STORE64_N(STACK, KEY_AT(remote[0]), 0),
	SET_N(R1, 0xffff), HOST32(R1),
	STORE32(STACK, KEY_AT(local[2]), R1), STORE32(STACK, KEY_AT(remote[2]), R1),
	FROM_CTX32(KEY_AT(local[3]), local_ip4), FROM_CTX32(KEY_AT(remote[3]), remote_ip4),
	LABEL(ADDRESSED),
	/* loopback: 127.0.0.0/8, ::1 */
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
	/* each network namespace has a loopback of its own */
	SET(R1, CTX),
	CALL(get_netns_cookie),
	STORE64(STACK, KEY_AT(net), R0),
	GOTO(KNOWN),
	LABEL(FAR),
	LOAD64(R1, SETTINGS, SETTING(loopback_only)),
	IF_N(BPF_JNE, R1, 0, DONE),
	LABEL(KNOWN),
	/* what it sends */
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
	COPY_KEY(MINE, FLOW_AT(key), STACK, KEY),
	/* others find it by its key, unless somebody else has it */
	COPY64(STACK, END + END_AT(self), STACK, SELF),
	STORE64_N(STACK, END + END_AT(shared), 0),
	MAP(R1, COLOCATE_MAP_ENDS), SET(R2, STACK), ADD_N(R2, KEY), SET(R3, STACK), ADD_N(R3, END),
	SET_N(R4, BPF_NOEXIST),
	CALL(map_update_elem),
	IF_N(BPF_JNE, R0, 0, TAKEN),
	SET(R1, CTX), MAP(R2, COLOCATE_MAP_SOCKETS), SET(R3, STACK), ADD_N(R3, COOKIE),
	SET_N(R4, BPF_NOEXIST),
	CALL(sock_hash_update),
	IF_N(BPF_JNE, R0, 0, REFUSED),
	SET(R1, CTX), LOAD32(R2, CTX, OPS(bpf_sock_ops_cb_flags)),
	OR_N(R2, BPF_SOCK_OPS_STATE_CB_FLAG),
	CALL(sock_ops_cb_flags_set),
	/* is the other end there? Whoever comes second finds it. */
	COPY64(STACK, MIRROR_AT(net), STACK, KEY_AT(net)),
	COPY64(STACK, MIRROR_AT(local[0]), STACK, KEY_AT(remote[0])),
	COPY64(STACK, MIRROR_AT(local[2]), STACK, KEY_AT(remote[2])),
	COPY64(STACK, MIRROR_AT(remote[0]), STACK, KEY_AT(local[0])),
	COPY64(STACK, MIRROR_AT(remote[2]), STACK, KEY_AT(local[2])),
	LOAD16(R1, STACK, KEY_AT(remote_port)), STORE16(STACK, MIRROR_AT(local_port), R1),
	LOAD16(R1, STACK, KEY_AT(local_port)), STORE16(STACK, MIRROR_AT(remote_port), R1),
	STORE32_N(STACK, MIRROR_AT(unused), 0),
	LOOK_UP(ENDS, MIRROR),
	IF_N(BPF_JEQ, R0, 0, DONE),
	LOAD64(R1, R0, END_AT(shared)),
	IF_N(BPF_JNE, R1, 0, DONE),
	COPY64(STACK, PEER_AT, R0, END_AT(self)),
	LOOK_UP(FLOWS, PEER_AT),
	IF_N(BPF_JEQ, R0, 0, DONE),
	SET(OTHER, R0),
	/* the same connection, and not one of another network with the same addresses */
	LOAD32(R1, MINE, FLOW_AT(sent)), LOAD32(R2, OTHER, FLOW_AT(received)),
	IF(BPF_JNE, R1, R2, DONE),
	LOAD32(R1, MINE, FLOW_AT(received)), LOAD32(R2, OTHER, FLOW_AT(sent)),
	IF(BPF_JNE, R1, R2, DONE),
	COPY64(MINE, FLOW_AT(peer), OTHER, FLOW_AT(self)),
	COPY64(MINE, FLOW_AT(peer_cookie), OTHER, FLOW_AT(cookie)),
	COPY64(OTHER, FLOW_AT(peer), MINE, FLOW_AT(self)),
	COPY64(OTHER, FLOW_AT(peer_cookie), MINE, FLOW_AT(cookie)),
	GOTO(DONE),
	LABEL(TAKEN),
	LOOK_UP(ENDS, KEY),
	IF_N(BPF_JEQ, R0, 0, NOT_MINE),
	STORE64_N(R0, END_AT(shared), 1),
	GOTO(NOT_MINE),
	LABEL(REFUSED),
	REMOVE(ENDS, KEY),
	GOTO(NOT_MINE),
	/* it is closed */
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
	SUM(queue_bytes), SUM(queue_messages), SUM(tcp_bytes), SUM(tcp_messages), SUM(behind),
	SUM(unfit),
	LOOK_UP(ENDS, KEY),
	IF_N(BPF_JEQ, R0, 0, NOT_MINE),
	LOAD64(R1, R0, END_AT(self)), LOAD64(R2, MINE, FLOW_AT(self)),
	IF(BPF_JNE, R1, R2, NOT_MINE),
	REMOVE(ENDS, KEY),
	LABEL(NOT_MINE),
	REMOVE(FLOWS, SELF),
	LABEL(DONE),
	SET_N(R0, 1),
	RETURN,
};

/* ---- which way a message goes -------------------------------------------------------------- */

enum { FLOW = R7, LEN = R8, PEER = R9 };
enum { GOT = -32, RMEM = -40, RING = -48, READERS = -56, HEAD = -64, ENTRY = -72, COUNT = -80,
       WAITERS_MOST = 4 };
enum pass_label { ROOM = 1, LOOK, LEVEL, BLOCKED, NEXT, MARKED, SEND, BEHIND, UNFIT, TCP, PASS };

/* Reads so many bytes of the kernel's memory, from R3 on, or from a member of a socket. */
#define READ(size) SET(R1, STACK), ADD_N(R1, GOT), SET_N(R2, size), CALL(probe_read_kernel)
#define READ_PEER(size, at) SET(R3, PEER), ADD_N(R3, at), READ(size)
#define READ_SELF(size, at) LOAD64(R3, FLOW, FLOW_AT(self)), ADD_N(R3, at), READ(size)
#define COUNT_ONE(name) \
	LOAD64(R1, FLOW, FLOW_AT(name)), ADD_N(R1, 1), STORE64(FLOW, FLOW_AT(name), R1)
#define SERVES(reader) \
	LOAD64(R1, STACK, READERS), AND_N(R1, reader), IF_N(BPF_JEQ, R1, 0, UNFIT)

/* One program from its first instruction to its last: it reads in the order in which it runs,
 * which parts of it in functions of their own would hide. doc/internals/colocate.md explains the
 * steps. */
static int pass_load(const struct colocate_kernel *k, const int *maps, const struct bpf_log *log)
{
	const struct bpf_insn code[] = {
		SET(CTX, R1),
		LOAD64(R1, CTX, MSG(sk)),
		IF_N(BPF_JEQ, R1, 0, PASS),
		STORE64(STACK, SELF, R1),
		STORE32_N(STACK, INDEX, 0),
		LOOK_UP(FLOWS, SELF),
		IF_N(BPF_JEQ, R0, 0, PASS),
		SET(FLOW, R0),
		LOAD32(LEN, CTX, MSG(size)),
		LOOK_UP(SETTINGS, INDEX),
		IF_N(BPF_JEQ, R0, 0, PASS),
		COPY64(STACK, RING, R0, SETTING(ring_bytes)),
		COPY64(STACK, READERS, R0, SETTING(readers)),
		LOAD64(R1, R0, SETTING(on)),
		IF_N(BPF_JEQ, R1, 0, TCP),
		LOAD64(R1, FLOW, FLOW_AT(peer_cookie)),
		IF_N(BPF_JEQ, R1, 0, TCP),
		STORE64(STACK, COOKIE, R1),
		LOAD64(PEER, FLOW, FLOW_AT(peer)),
		/* established, and neither end speaks TLS in the kernel */
		READ_PEER(1, k->state),
		LOAD8(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, BPF_TCP_ESTABLISHED, TCP),
		READ_PEER(8, k->ulp),
		LOAD64(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, 0, TCP),
		READ_SELF(8, k->ulp),
		LOAD64(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, 0, TCP),
		/* bytes that wait at the receiver; the number behind our last byte */
		READ_PEER(4, k->rmem),
		LOAD32(R1, STACK, GOT),
		STORE64(STACK, RMEM, R1),
		READ_SELF(4, k->write_seq),
		LOAD32(R2, STACK, GOT),
		LOAD64(R1, FLOW, FLOW_AT(way)),
		LOAD64(R3, FLOW, FLOW_AT(settled)),
		STORE64(FLOW, FLOW_AT(settled), R2),
		IF_N(BPF_JEQ, R1, COLOCATE_TCP, -1),
		IF(BPF_JEQ, R2, R3, ROOM),
		/* from TCP to the queue: when the receiver has read all that went by TCP */
		READ_PEER(4, k->rcv_nxt),
		LOAD32(R1, STACK, GOT),
		LOAD64(R2, FLOW, FLOW_AT(settled)),
		IF(BPF_JNE, R1, R2, TCP),
		READ_PEER(4, k->copied_seq),
		LOAD32(R1, STACK, GOT),
		LOAD64(R2, FLOW, FLOW_AT(settled)),
		IF(BPF_JNE, R1, R2, TCP),
		LOAD64(R1, STACK, RMEM),
		IF_N(BPF_JNE, R1, 0, TCP),
		/* and waits in a way that works with the queue */
		READ_PEER(4, k->rcvlowat),
		LOAD32(R1, STACK, GOT),
		IF_N(BPF_JGT, R1, 1, UNFIT),
		READ_PEER(8, k->wq),
		LOAD64(R3, STACK, GOT),
		IF_N(BPF_JEQ, R3, 0, UNFIT),
		ADD_N(R3, k->wait_first),
		STORE64(STACK, HEAD, R3),
		READ(8),
		LOAD64(R1, STACK, GOT),
		STORE64(STACK, ENTRY, R1),
		LOAD64(R2, STACK, HEAD),
		IF(BPF_JEQ, R1, R2, UNFIT),
		STORE64_N(STACK, COUNT, 0),
		LABEL(LOOK),
		LOAD64(R3, STACK, ENTRY), ADD_N(R3, k->entry_func - k->entry_list), READ(8),
		LOAD64(R1, STACK, GOT),
		SET64(R2, k->poll),
		IF(BPF_JEQ, R1, R2, LEVEL),
		SET64(R2, k->blocked),
		IF(BPF_JEQ, R1, R2, BLOCKED),
		SET64(R2, k->epoll),
		IF(BPF_JNE, R1, R2, UNFIT),
		LOAD64(R3, STACK, ENTRY),
		ADD_N(R3, k->epoll_item - k->epoll_entry - k->entry_list), READ(8),
		LOAD64(R3, STACK, GOT), ADD_N(R3, k->item_events), READ(4),
		LOAD32(R1, STACK, GOT),
		SET(R2, R1), AND_N(R2, (int)EPOLLET),
		IF_N(BPF_JEQ, R2, 0, LEVEL),
		AND_N(R1, EPOLLMSG),
		IF_N(BPF_JNE, R1, 0, LEVEL),
		SERVES(COLOCATE_EDGE),
		GOTO(NEXT),
		LABEL(BLOCKED),
		SERVES(COLOCATE_BLOCKING),
		GOTO(NEXT),
		LABEL(LEVEL),
		SERVES(COLOCATE_LEVEL),
		LABEL(NEXT),
		LOAD64(R1, STACK, COUNT),
		IF_N(BPF_JEQ, R1, WAITERS_MOST - 1, UNFIT),
		ADD_N(R1, 1),
		STORE64(STACK, COUNT, R1),
		LOAD64(R3, STACK, ENTRY), READ(8),
		LOAD64(R1, STACK, GOT),
		STORE64(STACK, ENTRY, R1),
		LOAD64(R2, STACK, HEAD),
		IF(BPF_JNE, R1, R2, LOOK),
		/* room for its bytes, and for one more message */
		LABEL(ROOM),
		LOAD64(R1, STACK, RMEM),
		LOAD64(R2, STACK, RING),
		ADD(R1, LEN),
		IF(BPF_JGT, R1, R2, BEHIND),
		LOAD64(R2, FLOW, FLOW_AT(queue_bytes)),
		LOAD64(R1, FLOW, FLOW_AT(queue_messages)),
		SET(R3, R1), AND_N(R3, COLOCATE_MARK_EVERY - 1),
		IF_N(BPF_JNE, R3, 0, MARKED),
		RIGHT_N(R1, 4), AND_N(R1, COLOCATE_MARKS - 1), LEFT_N(R1, 3), ADD(R1, FLOW),
		LOAD64(R3, R1, FLOW_AT(marks)),
		LOAD64(R4, STACK, RMEM),
		ADD(R3, R4),
		IF(BPF_JGT, R3, R2, BEHIND),
		ADD(R2, LEN),
		STORE64(R1, FLOW_AT(marks), R2),
		LABEL(MARKED),
		/* still the same socket? */
		READ_PEER(8, k->cookie),
		LOAD64(R1, STACK, GOT),
		LOAD64(R2, STACK, COOKIE),
		IF(BPF_JNE, R1, R2, TCP),
		SET(R1, CTX), MAP(R2, COLOCATE_MAP_SOCKETS), SET(R3, STACK), ADD_N(R3, COOKIE),
		SET_N(R4, BPF_F_INGRESS),
		CALL(msg_redirect_hash),
		IF_N(BPF_JNE, R0, SK_PASS, TCP),
		STORE64_N(FLOW, FLOW_AT(way), COLOCATE_QUEUE),
		LOAD64(R1, FLOW, FLOW_AT(queue_bytes)), ADD(R1, LEN),
		STORE64(FLOW, FLOW_AT(queue_bytes), R1),
		COUNT_ONE(queue_messages),
		GOTO(PASS),
		LABEL(UNFIT),
		COUNT_ONE(unfit),
		GOTO(TCP),
		LABEL(BEHIND),
		COUNT_ONE(behind),
		LABEL(TCP),
		STORE64_N(FLOW, FLOW_AT(way), COLOCATE_TCP),
		LOAD64(R1, FLOW, FLOW_AT(tcp_bytes)), ADD(R1, LEN),
		STORE64(FLOW, FLOW_AT(tcp_bytes), R1),
		COUNT_ONE(tcp_messages),
		LABEL(PASS),
		SET_N(R0, SK_PASS),
		RETURN,
	};
	struct bpf_insn linked[ARRAY_LEN(code)];

	return bpf_program_load(&(struct bpf_program){
		.type = BPF_PROG_TYPE_SK_MSG,
		.attach_type = BPF_SK_MSG_VERDICT,
		.name = "penstock_pass",
		.code = linked,
		.len = bpf_code_link(linked, code, ARRAY_LEN(code), maps),
	}, log);
}

static int pair_load(const int *maps, const struct bpf_log *log)
{
	struct bpf_insn linked[ARRAY_LEN(pair_code)];

	return bpf_program_load(&(struct bpf_program){
		.type = BPF_PROG_TYPE_SOCK_OPS,
		.attach_type = BPF_CGROUP_SOCK_OPS,
		.name = "penstock_pair",
		.code = linked,
		.len = bpf_code_link(linked, pair_code, ARRAY_LEN(pair_code), maps),
	}, log);
}

/* ---- the set ------------------------------------------------------------------------------- */

static int maps_create(int *maps, unsigned ends)
{
	int i;

	maps[COLOCATE_MAP_SETTINGS] = bpf_map_create("psk_settings", BPF_MAP_TYPE_ARRAY, 4,
						     sizeof(struct colocate_settings), 1, 0);
	maps[COLOCATE_MAP_TOTALS] = bpf_map_create("psk_totals", BPF_MAP_TYPE_ARRAY, 4,
						   sizeof(struct colocate_totals), 1, 0);
	maps[COLOCATE_MAP_ENDS] = bpf_map_create("psk_ends", BPF_MAP_TYPE_HASH, KEY_SIZE,
						 sizeof(struct colocate_end), ends,
						 BPF_F_NO_PREALLOC);
	maps[COLOCATE_MAP_FLOWS] = bpf_map_create("psk_flows", BPF_MAP_TYPE_HASH, 8,
						  sizeof(struct colocate_flow), ends,
						  BPF_F_NO_PREALLOC);
	maps[COLOCATE_MAP_SOCKETS] = bpf_map_create("psk_sockets", BPF_MAP_TYPE_SOCKHASH, 8, 8,
						    ends, 0);
	for (i = 0; i < COLOCATE_MAPS; i++)
		if (maps[i] < 0)
			return -1;
	return 0;
}

int colocate_set_make(struct colocate_set *set, const struct colocate_kernel *kernel,
		      unsigned connections, struct err *err)
{
	static char said[1 << 16];
	const struct bpf_log log = { said, sizeof(said) };
	int saved;

	memset(set, -1, sizeof(*set));
	said[0] = 0;
	if (!maps_create(set->maps, 2 * connections) &&
	    (set->pair = pair_load(set->maps, &log)) >= 0 &&
	    (set->pass = pass_load(kernel, set->maps, &log)) >= 0 &&
	    !bpf_map_attach(set->maps[COLOCATE_MAP_SOCKETS], set->pass, BPF_SK_MSG_VERDICT))
		return 0;
	saved = errno;
	colocate_set_close(set);
	if (saved == EPERM)
		return err_set(err, "the rights are missing (CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN)");
	return err_set(err, "this kernel does not take the programs: %s%s%s", strerror(saved),
		       said[0] ? "; " : "", said + (strlen(said) > 300 ? strlen(said) - 300 : 0));
}

void colocate_set_close(struct colocate_set *set)
{
	int i;

	for (i = 0; i < COLOCATE_MAPS; i++)
		if (set->maps[i] >= 0)
			close(set->maps[i]);
	if (set->pair >= 0)
		close(set->pair);
	if (set->pass >= 0)
		close(set->pass);
	memset(set, -1, sizeof(*set));
}
