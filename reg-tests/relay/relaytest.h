/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest: client and server at once around a relay that runs elsewhere. Each subcommand is one
 * claim about what happens to bytes and ends of connections; see relaytest.c for the list.
 */
#ifndef RELAYTEST_H
#define RELAYTEST_H

#include "../../contrib/bench/common.h"

#include <stdio.h>

struct options {
	struct address front;  /* where the relay listens (-f) */
	int listener;          /* where we listen for it (-b) */
	pid_t relay;           /* its process (-p), 0: not known */
	const char *stats;     /* its stats socket (-s), or NULL */
	uint64_t seed;         /* -S */
	unsigned count;        /* -n: rounds or connections; 0: the test's own */
	uint64_t size;         /* -z: bytes; 0: the test's own */
	char **args;           /* words behind the subcommand */
	int n_args;
};
extern struct options opt;
extern unsigned failures;

/* How long anything is waited for that must come, ms. It only ever passes when something is broken:
 * no claim may depend on how busy the machine is. */
enum { PATIENCE_MS = 30000 };

/* Fills opt from the command line; words behind the subcommand argv[optind] are opt.args. */
void options_read(int argc, char **argv, void (*usage)(void));

/* Prints "ok" or "FAILED" and the sentence; false (and counted) when it does not hold. */
bool expect(bool holds, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- connections through the relay ---- */

struct ends {
	int client, server;
};

/* A connection to the relay and what it makes of it at our listener; dies when it does not come.
 * Both are non-blocking. rcvbuf: SO_RCVBUF of the client, 0: the system's. */
struct ends ends_open(int rcvbuf);
void ends_close(struct ends *e);
/* The next connection at our listener, -1 when none came within `ms`. */
int ends_accept(int ms);

/* ---- flows: bytes of the endless text `seed`, from one socket to another ---- */

struct flow {
	int from, to;
	uint64_t seed;
	uint64_t total;      /* bytes to move */
	size_t chunk;        /* of one send; 0: 64 kB */
	size_t window;       /* no more than this between the two; 0: as much as goes */
	bool fin;            /* shut down behind the last byte, and expect the end there */
	size_t read_max;     /* of one recv; 0: 64 kB */
	uint64_t read_every; /* nanoseconds between two recv; 0: at once */
	bool no_read;        /* the reader does not read at all */
	/* what has happened */
	uint64_t sent, got;
	bool fin_sent, eof, broken;
	int error;           /* errno of the side that broke, or 0 */
	bool wrong;          /* the byte behind `got` differs */
	uint64_t next_read;
};

/* Moves until all flows are complete: true. false: one broke, or nothing moved for `idle_ms`. */
bool flows_run(struct flow *f, size_t n, int idle_ms);
/* Sends until nothing more goes out and the relay sleeps (the readers do not read); then lets
 * them. */
void flows_block(struct flow *f, size_t n);
bool flow_complete(const struct flow *f);
/* flows_run with all patience, and a line about it: the sentence, and what has become of the
 * flows. */
bool expect_flows(struct flow *f, size_t n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What is wrong with the first flow that is not complete, as text. */
const char *flows_describe(const struct flow *f, size_t n);

/* Sends or receives exactly n bytes; false when they do not pass. */
bool put_bytes(int fd, const void *buf, size_t n, int flags);
bool get_bytes(int fd, void *buf, size_t n);
/* Sends n bytes from a to b and waits for them. */
bool one_exchange(int a, int b, size_t n);
/* Waits for the end of what comes: 0 FIN, ECONNRESET..., -1: it does not end; drops bytes. */
int wait_end(int fd);

/* ---- what the relay says of itself ---- */

/* The answer to a command of the stats socket, to be freed; NULL when there is none. */
char *ask(const char *socket_path, const char *command);
/* A number from `show info`; -1 when there is no such field. */
long info_value(const char *field);
/* Whether it takes this value in the end. */
bool info_becomes(const char *field, long value);
/* CPU of the relay during the next `ms` milliseconds, as a share of one core. When it is not below
 * `limit` it is measured again, for what went on before may still have to be cleaned up; a relay
 * that spins does so each time. The share of the last measurement. */
double relay_cpu_share(int ms, double limit);
/* Waits until the relay sleeps, and has for a while. */
void relay_settle(void);

/* Stops the relay, so that several things have happened when it looks; lets it go on. */
void relay_freeze(bool stop);

/* ---- sockmap.c ---- */

/* Puts the relay's socket whose peer is the local socket `ours` into a new BPF sockmap, from
 * outside. The map stays until we exit. false: says why. */
bool sockmap_capture(pid_t relay, int ours);
/* Bytes that lie unread in that socket of the relay's. */
int sockmap_unread(pid_t relay, int ours);

/* ---- the tests; each returns false when something did not hold ---- */

bool test_transfer(void);
bool test_slow_reader(void);
bool test_mixed_slow(void);
bool test_fin(void);
bool test_drain(void);
bool test_half_close(void);
bool test_quiet(void);
bool test_client_rst(void);
bool test_server_rst(void);
bool test_pipes(void);
bool test_stall(void);
bool test_latency(void);
bool test_urgent(void);
bool test_sockmap(void);
bool test_refused(void);
bool test_hold(void);

#endif
