/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies in the maps by which the programs of colocate/ and this process speak.
 * doc/internals/colocate.md has what is in which. */
#ifndef COLOCATE_MAPS_H
#define COLOCATE_MAPS_H

#include <stdint.h>

/* An end of a connection, as it sees itself. An IPv4 address is one of IPv6, ::ffff:0:0/96. */
struct colocate_key {
	uint64_t net; /* cookie of the network namespace where the address is one of loopback */
	uint32_t local[4], remote[4];
	uint16_t local_port, remote_port;
	uint32_t unused;
};

/* The value of a key. */
struct colocate_end {
	uint64_t self;   /* address of the socket in the kernel */
	uint64_t shared; /* the same key in two networks: nobody can be paired by it */
};

enum colocate_way { COLOCATE_TCP, COLOCATE_QUEUE };

/* A receiver that holds its socket while a message comes lets the sender sleep, for 35 us or, where
 * it takes the socket again before the sender runs, for many times that, for a gain of 2 us. Each
 * time counts as so many messages at which it did not. Beyond the most it is left to TCP for so many
 * messages; the next time for twice as many, and these. */
enum { COLOCATE_HELD_COSTS = 64, COLOCATE_HELD_MOST = 128, COLOCATE_HELD_REST = 1024 };

/* An end whose peer has not come with so many packets has none on this machine. */
enum { COLOCATE_PACKETS_ALONE = 16 };

enum { COLOCATE_MARKS = 16, COLOCATE_MARK_EVERY = 16 }; /* powers of two */

/* What an end sends; the key is the address of its socket. */
struct colocate_flow {
	uint64_t self, cookie;
	uint64_t peer, peer_cookie; /* cookie 0: it has none */
	uint64_t way;
	uint64_t settled; /* in the queue's way: the number behind all bytes that went by TCP */
	uint32_t sent, received; /* numbers of the next bytes when the connection began */
	uint64_t queue_bytes, queue_messages, tcp_bytes, tcp_messages;
	uint64_t behind; /* times that the receiver was */
	uint64_t unfit;  /* times that the receiver waited in a way that is not served */
	uint64_t spins;  /* times that it was left to TCP since it held its socket too often */
	uint64_t held;   /* what that has cost lately, in messages */
	uint64_t rest;   /* for how many messages it was left to TCP the last time */
	uint64_t resume; /* how many messages have to go by TCP first */
	uint64_t left;   /* 1: the receiver blocks, and leaves the map when it sends a packet */
	uint64_t packets; /* of an end without a peer, until COLOCATE_PACKETS_ALONE */
	/* queue_bytes behind each message whose number COLOCATE_MARK_EVERY divides, the last ones */
	uint64_t marks[COLOCATE_MARKS];
	struct colocate_key key;
};

/* What a reader waits with: bits of readers. */
enum { COLOCATE_LEVEL = 1 << 0, COLOCATE_EDGE = 1 << 1, COLOCATE_BLOCKING = 1 << 2 };

struct colocate_settings {
	uint64_t on;
	uint64_t ring_bytes;
	uint64_t loopback_only;
	uint64_t readers;
	uint64_t splice_blind; /* splice sees nothing of what is queued; the programs do not ask */
	char cgroup[256];
	struct colocate_flow blank;
	uint8_t ports[65536]; /* 1: of servers that are served */
};

/* Of connections that are over. */
struct colocate_totals {
	uint64_t flows;
	uint64_t queue_bytes, queue_messages, tcp_bytes, tcp_messages, behind, unfit, spins;
};

enum { COLOCATE_MAP_SETTINGS, COLOCATE_MAP_TOTALS, COLOCATE_MAP_ENDS, COLOCATE_MAP_FLOWS,
       COLOCATE_MAP_SOCKETS, COLOCATE_MAPS };

#endif
