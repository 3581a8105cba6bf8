/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel chooses among the sockets of a port by a hash over their number, so that each socket
 * more sends clients to other sockets than before. This program names one of the first n by the
 * client alone: sessions stay with their worker while old workers hold sockets of their own
 * (dgram/socket.h). The kernel runs it with the packet at the payload of the datagram; headers are
 * reached from the network header on. Classic BPF needs no rights.
 */
#include "dgram/spread.h"

#include <linux/filter.h>
#include <stdint.h>
#include <sys/socket.h>

#define NET(offset) ((uint32_t)SKF_NET_OFF + (offset))

enum { GOLDEN = 0x9e3779b1 };

unsigned short spread_program(struct sock_filter *program, unsigned n)
{
	const struct sock_filter all[] = {
		/* 0 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, NET(0)),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 8, 0),
		/* IPv4: the port lies behind a header whose length it says. */
		/* 3 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, NET(0)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 15),
		BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 2),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, NET(0)),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NET(12)),
		BPF_STMT(BPF_JMP | BPF_JA, 4),
		/* IPv6: the lower half of the address, and what stands behind the header, which is
		 * the port but behind extensions. */
		/* 11 */ BPF_STMT(BPF_LD | BPF_H | BPF_ABS, NET(40)),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NET(20)),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		/* 15: A is the address, X the port. */
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, GOLDEN),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 16),
		BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, n),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	unsigned short i;

	_Static_assert(sizeof(all) / sizeof(*all) <= SPREAD_MOST, "");
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		program[i] = all[i];
	return i;
}

int spread_attach(int fd, unsigned n)
{
	struct sock_filter instructions[SPREAD_MOST];
	struct sock_fprog program = { spread_program(instructions, n), instructions };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}
