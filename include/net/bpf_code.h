/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of BPF programs as rows of an array, in the order of an assembler: the target first.
 * Jumps go to labels, which bpf_code_link (net/bpf.h) resolves, or, as negative numbers, over so
 * many instructions. Included by the files that hold programs, and by nothing else. */
#ifndef NET_BPF_CODE_H
#define NET_BPF_CODE_H

#include <linux/bpf.h>

#ifndef BPF_XCHG /* older headers */
#define BPF_XCHG 0xe1
#define BPF_ATOMIC 0xc0
#endif

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, STACK };

/* No instruction: the place of a label, which is in off. */
#define LABEL_CODE 0xff

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define SET(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET_N(d, n) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, n)
#define ADD(d, s) INSN(BPF_ALU64 | BPF_ADD | BPF_X, d, s, 0, 0)
#define ADD_N(d, n) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, n)
#define SUB(d, s) INSN(BPF_ALU64 | BPF_SUB | BPF_X, d, s, 0, 0)
#define ADD32(d, s) INSN(BPF_ALU | BPF_ADD | BPF_X, d, s, 0, 0)
#define SUB32(d, s) INSN(BPF_ALU | BPF_SUB | BPF_X, d, s, 0, 0)
#define NEG(d) INSN(BPF_ALU64 | BPF_NEG, d, 0, 0, 0)
#define AND_N(d, n) INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, n)
#define OR_N(d, n) INSN(BPF_ALU64 | BPF_OR | BPF_K, d, 0, 0, n)
#define LEFT_N(d, n) INSN(BPF_ALU64 | BPF_LSH | BPF_K, d, 0, 0, n)
#define RIGHT_N(d, n) INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, n)
/* From the network's order of 32 bits to the host's. */
#define HOST32(d) INSN(BPF_ALU | BPF_END | BPF_TO_BE, d, 0, 0, 32)
#define LOAD8(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_B, d, s, o, 0)
#define LOAD16(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_H, d, s, o, 0)
#define LOAD32(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)
#define LOAD64(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE16(d, o, s) INSN(BPF_STX | BPF_MEM | BPF_H, d, s, o, 0)
#define STORE32(d, o, s) INSN(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define STORE64(d, o, s) INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE32_N(d, o, n) INSN(BPF_ST | BPF_MEM | BPF_W, d, 0, o, n)
#define STORE64_N(d, o, n) INSN(BPF_ST | BPF_MEM | BPF_DW, d, 0, o, n)
#define EXCHANGE(d, o, s) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_XCHG)
/* What lies there grows by s, at once for all processors. */
#define GROW(d, o, s) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define GOTO(l) INSN(BPF_JMP | BPF_JA, 0, 0, l, 0)
#define IF(op, d, s, l) INSN(BPF_JMP | (op) | BPF_X, d, s, l, 0)
#define IF_N(op, d, n, l) INSN(BPF_JMP | (op) | BPF_K, d, 0, l, n)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define RETURN INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LABEL(l) INSN(LABEL_CODE, 0, 0, l, 0)
/* A number of 64 bits. */
#define SET64(d, n) INSN(BPF_LD | BPF_IMM | BPF_DW, d, 0, 0, (int32_t)(uint32_t)(n)), \
		    INSN(0, 0, 0, 0, (int32_t)((uint64_t)(n) >> 32))
/* map: its place in the list that bpf_code_link is given. */
#define MAP(d, map) INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, 0, map), \
		   INSN(0, 0, 0, 0, 0)

#endif
