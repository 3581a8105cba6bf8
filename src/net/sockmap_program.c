/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of the kernel relay, as instructions: it decides for each segment that a source has
 * received. doc/internals/kernel.md explains it in the order of its lines. Called by sockmap.c, and
 * knows nothing but the maps. */
#include "net/sockmap_program.h"

#include "net/bpf.h"
#include "net/bpf_code.h"
#include "net/sockmap.h"

#include <linux/bpf.h>
#include <stddef.h>

enum { CTX = R6, ROUTE = R7, LEN = R8, SEQ = R9 };
/* On the stack: the source's cookie; the number of its route. */
enum { COOKIE = -8, NUMBER = -16 };

enum label { IN_ORDER = 1, DECIDE, SEND, TELL_AND_SEND, PASS, PASS_UNSEEN, FAULT, DROP };
#define FIELD(name) offsetof(struct sockmap_route, name)
#define SKB(name) offsetof(struct __sk_buff, name)

/* Sets the route's mark. Unless it was set before, a record says so. The instruction behind it is
 * the place for both cases. */
#define TELL                                                                             \
	SET_N(R1, 1), EXCHANGE(ROUTE, FIELD(told), R1), IF_N(BPF_JNE, R1, 0, -7),        \
	MAP(R1, SOCKMAP_RING), SET(R2, STACK), ADD_N(R2, NUMBER), SET_N(R3, 8), SET_N(R4, 0), \
	CALL(ringbuf_output)

/* The kernel cuts at most 4095 bytes a call. SEQ: how many are left to cut. */
#define CUT                                                                          \
	SET(R2, SEQ), INSN(BPF_JMP | BPF_JLE | BPF_K, R2, 0, -1, 4095), SET_N(R2, 4095), \
	SUB(SEQ, R2), NEG(R2), SET(R1, CTX), SET_N(R3, 0), SET_N(R4, 0),             \
	CALL(skb_adjust_room), IF_N(BPF_JNE, R0, 0, FAULT)
#define CUT_8 CUT, CUT, CUT, CUT, CUT, CUT, CUT, CUT

static const struct bpf_insn code[] = {
	SET(CTX, R1),
	/* whose is it? */
	CALL(get_socket_cookie),
	STORE64(STACK, COOKIE, R0),
	MAP(R1, SOCKMAP_NUMBERS), SET(R2, STACK), ADD_N(R2, COOKIE),
	CALL(map_lookup_elem),
	IF_N(BPF_JEQ, R0, 0, PASS_UNSEEN),
	LOAD32(R1, R0, 0),
	STORE32(STACK, NUMBER, R1),
	STORE32_N(STACK, NUMBER + 4, 0),
	MAP(R1, SOCKMAP_ROUTES), SET(R2, STACK), ADD_N(R2, NUMBER),
	CALL(map_lookup_elem),
	IF_N(BPF_JEQ, R0, 0, PASS_UNSEEN),
	SET(ROUTE, R0),
	LOAD64(R1, ROUTE, FIELD(fault)),
	IF_N(BPF_JNE, R1, 0, FAULT),
	/* a FIN alone: TCP knows of it, and in a psock's queue it would be an error of the
	 * socket */
	LOAD32(LEN, CTX, SKB(len)),
	IF_N(BPF_JEQ, LEN, 0, DROP),
	/* does it begin where the last one ended? */
	LOAD32(SEQ, CTX, SKB(cb[0])),
	LOAD32(R1, ROUTE, FIELD(synced)),
	IF_N(BPF_JEQ, R1, 0, IN_ORDER),
	LOAD32(R1, ROUTE, FIELD(next_seq)),
	SUB32(R1, SEQ),
	IF_N(BPF_JEQ, R1, 0, IN_ORDER),
	/* R1 bytes of it came before: a gap, and what is all old, would be others' fault */
	IF(BPF_JGT, R1, LEN, FAULT),
	IF_N(BPF_JGT, R1, 16 * 4095, FAULT),
	ADD32(SEQ, LEN),
	STORE32(ROUTE, FIELD(next_seq), SEQ),
	SET(SEQ, R1),
	CUT_8, CUT_8,
	LOAD32(LEN, CTX, SKB(len)),
	IF_N(BPF_JEQ, LEN, 0, DROP),
	GOTO(DECIDE),
	LABEL(IN_ORDER),
	ADD32(SEQ, LEN),
	STORE32(ROUTE, FIELD(next_seq), SEQ),
	STORE32_N(ROUTE, FIELD(synced), 1),
	LABEL(DECIDE),
	/* nothing large, not before what was left to us, and not beyond the limits */
	IF_N(BPF_JGT, LEN, SOCKMAP_LARGEST, PASS),
	LOAD64(R1, ROUTE, FIELD(passed)),
	LOAD64(R2, ROUTE, FIELD(forwarded)),
	IF(BPF_JNE, R1, R2, PASS),
	LOAD64(R1, ROUTE, FIELD(relayed)),
	ADD(R1, LEN),
	LOAD64(R2, ROUTE, FIELD(bytes_until)),
	IF(BPF_JGT, R1, R2, PASS),
	LOAD64(R2, ROUTE, FIELD(segments)),
	LOAD64(R3, ROUTE, FIELD(segments_until)),
	IF(BPF_JGE, R2, R3, PASS),
	ADD_N(R2, 1),
	STORE64(ROUTE, FIELD(segments), R2),
	STORE64(ROUTE, FIELD(relayed), R1),
	LOAD64(R3, ROUTE, FIELD(bytes_low)),
	IF(BPF_JGT, R1, R3, TELL_AND_SEND),
	LOAD64(R3, ROUTE, FIELD(segments_low)),
	IF(BPF_JGT, R2, R3, TELL_AND_SEND),
	LABEL(SEND),
	SET(R1, CTX), MAP(R2, SOCKMAP_TARGETS), SET(R3, STACK), ADD_N(R3, COOKIE), SET_N(R4, 0),
	CALL(sk_redirect_hash),
	IF_N(BPF_JEQ, R0, SK_DROP, FAULT),
	RETURN,
	LABEL(TELL_AND_SEND),
	TELL,
	GOTO(SEND),
	LABEL(PASS),
	LOAD64(R1, ROUTE, FIELD(passed)),
	ADD(R1, LEN),
	LOAD64(R2, ROUTE, FIELD(forwarded)),
	LOAD64(R3, ROUTE, FIELD(passed_most)),
	ADD(R3, R2),
	IF(BPF_JGT, R1, R3, FAULT),
	STORE64(ROUTE, FIELD(passed), R1),
	TELL,
	LABEL(PASS_UNSEEN),
	SET_N(R0, SK_PASS),
	RETURN,
	LABEL(FAULT),
	STORE64_N(ROUTE, FIELD(fault), 1),
	TELL,
	LABEL(DROP),
	SET_N(R0, SK_DROP),
	RETURN,
};

enum { CODE_LEN = sizeof(code) / sizeof(*code) };

int sockmap_program_load(const int maps[SOCKMAP_MAPS])
{
	struct bpf_insn linked[CODE_LEN];

	return bpf_program_load(&(struct bpf_program){
		.type = BPF_PROG_TYPE_SK_SKB,
		.attach_type = BPF_SK_SKB_VERDICT,
		.name = "penstock_relay",
		.code = linked,
		.len = bpf_code_link(linked, code, CODE_LEN, maps),
	}, NULL);
}
