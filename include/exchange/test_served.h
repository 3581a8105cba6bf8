/* SPDX-License-Identifier: BSD-2-Clause */
/* Servers that do what a test says, in its own thread: all behind one abstract Unix socket. What is
 * sent there has arrived, however busy the machine is. Linked into tests only (cmocka). */
#ifndef EXCHANGE_TEST_SERVED_H
#define EXCHANGE_TEST_SERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lane;

/* What they do with the next requests: of HTTP, as a whole; other bytes, as they come. */
struct served {
	const char *says;   /* the answer; NULL: "200 OK" with n bytes to "GET /n"; "": none */
	unsigned leaves;    /* behind so many answers the connection is closed */
	bool breaks_off;    /* behind each it is reset */
	unsigned mute;      /* so many requests end without a word */
	bool stays;         /* when the other side has closed its half */
	unsigned asked;     /* requests that have come */
	char request[1000]; /* the last one */
	size_t bytes;       /* that have come, of requests or not */
	int by;             /* which socket the last one came over */
};
extern struct served served;

/* So many turns, and nothing happens any more. */
enum { QUIET = 40 };

/* What a configuration of HTTP begins with. */
#define SERVED_HTTP                                                                                \
	"defaults\n mode http\n timeout connect 5s\n timeout client 60s\n timeout server 50s\n"

/* They listen; the name of their socket, for "server s abns@...". */
const char *served_begin(void);
void served_afresh(void);
void served_end(void);
/* The same with a world (exchange/test_world.h) of this configuration, in which "%s" stands for the
 * name, which is returned; the clock stands still. */
const char *served_world_begin(const char *text);

/* For cmocka, which gives a state that nobody uses, and wants 0. Behind a group: the world ends. */
int served_world_end(void **state);
/* In front of a test: served_afresh(), and the seconds of rates are over. */
int served_world_afresh(void **state);

/* So many turns of them and of the world. */
void turns(unsigned n);
/* The frozen clock goes on, and all that follows from that happens. */
void pass(uint64_t ms);
/* Turns until the exchange of that lane is over. */
void lane_await(struct lane *lane);

#endif
