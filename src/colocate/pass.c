/* SPDX-License-Identifier: BSD-2-Clause */
/* penstock_pass, the sk_msg program of colocate/: which way a message goes. It runs within send(2),
 * with the socket locked. doc/internals/colocate.md explains its steps.
 *
 * Sockets are known by their address in the kernel; what stands there is read as memory that may be
 * somebody else's by now. So the cookie of the peer is read last, and the socket that gets the
 * bytes is found by its cookie, which is never used again. */
#include "colocate/pass.h"

#include "colocate/code.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#define MSG(name) ((int)offsetof(struct sk_msg_md, name))

enum { FLOW = R7, LEN = R8, PEER = R9 };
enum { GOT = -32, RMEM = -40, RING = -48, READERS = -56, HEAD = -64, ENTRY = -72, COUNT = -80,
       CALM = -88, OPENED_FILE = -96, WAITERS_MOST = 4 };
enum label { BACK = 1, OPENED, LOOK, LEVEL, STEADY, BLOCKED, NEXT, ROOM, FREE, UNLOCKED, MARKED,
	     LEAVE, UNFIT, BEHIND, TCP, PASS };

/* Reads so many bytes of the kernel's memory, from R3 on, or from a member of a socket. */
#define READ(size) SET(R1, STACK), ADD_N(R1, GOT), SET_N(R2, size), CALL(probe_read_kernel)
#define READ_PEER(size, at) SET(R3, PEER), ADD_N(R3, at), READ(size)
#define READ_SELF(size, at) LOAD64(R3, FLOW, FLOW_AT(self)), ADD_N(R3, at), READ(size)
#define COUNT_ONE(name) \
	LOAD64(R1, FLOW, FLOW_AT(name)), ADD_N(R1, 1), STORE64(FLOW, FLOW_AT(name), R1)
#define UNLESS_SERVED(reader, label) \
	LOAD64(R1, STACK, READERS), AND_N(R1, reader), IF_N(BPF_JEQ, R1, 0, label)

static void step_begin(struct code *c)
{
	APPEND(c,
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
		/* given up, for ever or for a while */
		LOAD64(R1, FLOW, FLOW_AT(left)),
		IF_N(BPF_JNE, R1, 0, TCP),
		LOAD64(R1, FLOW, FLOW_AT(resume)), LOAD64(R2, FLOW, FLOW_AT(tcp_messages)),
		IF(BPF_JGT, R1, R2, TCP));
}

/* Established, neither end speaks TLS in the kernel, and one byte is enough for the receiver. */
static void step_ends(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
		READ_PEER(1, k->state),
		LOAD8(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, BPF_TCP_ESTABLISHED, TCP),
		READ_PEER(8, k->ulp),
		LOAD64(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, 0, TCP),
		READ_SELF(8, k->ulp),
		LOAD64(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, 0, TCP),
		READ_PEER(4, k->rcvlowat),
		LOAD32(R1, STACK, GOT),
		IF_N(BPF_JGT, R1, 1, UNFIT));
}

/* Bytes that wait at the receiver; the number behind our last byte. In the queue's way each
 * COLOCATE_MARK_EVERY-th message looks at the receiver's file again. */
static void step_way(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
		READ_PEER(4, k->rmem),
		LOAD32(R1, STACK, GOT),
		STORE64(STACK, RMEM, R1),
		READ_SELF(4, k->write_seq),
		LOAD32(R2, STACK, GOT),
		LOAD64(R1, FLOW, FLOW_AT(way)),
		LOAD64(R3, FLOW, FLOW_AT(settled)),
		STORE64(FLOW, FLOW_AT(settled), R2),
		IF_N(BPF_JEQ, R1, COLOCATE_TCP, BACK),
		IF(BPF_JNE, R2, R3, BACK),
		LOAD64(R1, FLOW, FLOW_AT(queue_messages)),
		AND_N(R1, COLOCATE_MARK_EVERY - 1),
		IF_N(BPF_JEQ, R1, 0, OPENED),
		GOTO(ROOM));
}

/* From TCP to the queue: when the receiver has read all that went by TCP. */
static void step_back(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
		LABEL(BACK),
		STORE64_N(FLOW, FLOW_AT(way), COLOCATE_TCP),
		READ_PEER(4, k->rcv_nxt),
		LOAD32(R1, STACK, GOT),
		LOAD64(R2, FLOW, FLOW_AT(settled)),
		IF(BPF_JNE, R1, R2, TCP),
		READ_PEER(4, k->copied_seq),
		LOAD32(R1, STACK, GOT),
		LOAD64(R2, FLOW, FLOW_AT(settled)),
		IF(BPF_JNE, R1, R2, TCP),
		LOAD64(R1, STACK, RMEM),
		IF_N(BPF_JNE, R1, 0, TCP));
}

/* Its file: whether recv blocks (CALM: 0), whether a signal tells of urgent data. There is none
 * before accept(2). */
static void step_file(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
		LABEL(OPENED),
		READ_PEER(8, k->socket),
		LOAD64(R3, STACK, GOT),
		IF_N(BPF_JEQ, R3, 0, UNFIT),
		ADD_N(R3, k->file), READ(8),
		LOAD64(R3, STACK, GOT),
		IF_N(BPF_JEQ, R3, 0, UNFIT),
		STORE64(STACK, OPENED_FILE, R3),
		ADD_N(R3, k->file_owner), READ(8),
		LOAD64(R1, STACK, GOT),
		IF_N(BPF_JNE, R1, 0, UNFIT),
		LOAD64(R3, STACK, OPENED_FILE),
		ADD_N(R3, k->file_flags), READ(4),
		LOAD32(R1, STACK, GOT),
		AND_N(R1, O_NONBLOCK),
		STORE64(STACK, CALM, R1),
		LOAD64(R2, FLOW, FLOW_AT(way)),
		IF_N(BPF_JEQ, R2, COLOCATE_TCP, -5),
		IF_N(BPF_JNE, R1, 0, ROOM),
		UNLESS_SERVED(COLOCATE_BLOCKING, UNFIT),
		GOTO(ROOM));
}

/* Who waits for it, and how. */
static void step_readers(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
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
		SET(R2, R1), AND_N(R2, EPOLLMSG),
		IF_N(BPF_JNE, R2, 0, LEVEL),
		SET(R2, R1), AND_N(R2, EPOLLPRI),
		IF_N(BPF_JNE, R2, 0, UNFIT),
		AND_N(R1, (int)EPOLLET),
		IF_N(BPF_JEQ, R1, 0, LEVEL),
		UNLESS_SERVED(COLOCATE_EDGE, UNFIT),
		GOTO(STEADY));
}

/* Whoever waits by poll or epoll, and has a file that blocks, may block in recv, too. */
static void step_served(struct code *c)
{
	APPEND(c,
		LABEL(LEVEL),
		UNLESS_SERVED(COLOCATE_LEVEL, UNFIT),
		LABEL(STEADY),
		LOAD64(R1, STACK, CALM),
		IF_N(BPF_JNE, R1, 0, NEXT),
		LABEL(BLOCKED),
		UNLESS_SERVED(COLOCATE_BLOCKING, LEAVE),
		LABEL(NEXT),
		LOAD64(R1, STACK, COUNT),
		IF_N(BPF_JEQ, R1, WAITERS_MOST - 1, UNFIT),
		ADD_N(R1, 1),
		STORE64(STACK, COUNT, R1),
		LOAD64(R3, STACK, ENTRY), READ(8),
		LOAD64(R1, STACK, GOT),
		STORE64(STACK, ENTRY, R1),
		LOAD64(R2, STACK, HEAD),
		IF(BPF_JNE, R1, R2, LOOK));
}

/* Does the receiver hold its socket? Then we would sleep until it lets go, so TCP has this message.
 * One that does it again and again spins on recv, and is left to TCP for a while, the next time for
 * twice as long. */
static void step_lock(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
		LABEL(ROOM),
		READ_PEER(4, k->owned),
		LOAD32(R1, STACK, GOT),
		LOAD64(R2, FLOW, FLOW_AT(held)),
		IF_N(BPF_JEQ, R1, 0, FREE),
		ADD_N(R2, COLOCATE_HELD_COSTS),
		STORE64(FLOW, FLOW_AT(held), R2),
		IF_N(BPF_JLE, R2, COLOCATE_HELD_MOST, TCP),
		STORE64_N(FLOW, FLOW_AT(held), COLOCATE_HELD_MOST / 2),
		LOAD64(R1, FLOW, FLOW_AT(rest)), LEFT_N(R1, 1), ADD_N(R1, COLOCATE_HELD_REST),
		STORE64(FLOW, FLOW_AT(rest), R1),
		LOAD64(R2, FLOW, FLOW_AT(tcp_messages)), ADD(R1, R2),
		STORE64(FLOW, FLOW_AT(resume), R1),
		COUNT_ONE(spins),
		GOTO(TCP),
		LABEL(FREE),
		IF_N(BPF_JEQ, R2, 0, UNLOCKED),
		ADD_N(R2, -1),
		STORE64(FLOW, FLOW_AT(held), R2),
		LABEL(UNLOCKED));
}

/* Room for its bytes, and for one more message. */
static void step_room(struct code *c)
{
	APPEND(c,
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
		LABEL(MARKED));
}

/* Still the same socket? */
static void step_send(struct code *c, const struct colocate_kernel *k)
{
	APPEND(c,
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
		GOTO(PASS));
}

/* Why TCP has it. Where nothing was ever queued, the receiver may leave (pair.c). */
static void step_tcp(struct code *c)
{
	APPEND(c,
		LABEL(LEAVE),
		LOAD64(R1, FLOW, FLOW_AT(queue_messages)),
		IF_N(BPF_JNE, R1, 0, UNFIT),
		STORE64_N(FLOW, FLOW_AT(left), 1),
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
		RETURN);
}

int colocate_pass_load(const struct colocate_kernel *kernel, const int *maps,
		       const struct bpf_log *log)
{
	struct code c = { .len = 0 };
	struct bpf_insn linked[ARRAY_LEN(c.rows)];

	step_begin(&c);
	step_ends(&c, kernel);
	step_way(&c, kernel);
	step_back(&c, kernel);
	step_file(&c, kernel);
	step_readers(&c, kernel);
	step_served(&c);
	step_lock(&c, kernel);
	step_room(&c);
	step_send(&c, kernel);
	step_tcp(&c);
	return bpf_program_load(&(struct bpf_program){
		.type = BPF_PROG_TYPE_SK_MSG,
		.attach_type = BPF_SK_MSG_VERDICT,
		.name = "penstock_pass",
		.code = linked,
		.len = bpf_code_link(linked, c.rows, c.len, maps),
	}, log);
}
