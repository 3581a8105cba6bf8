/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of HTTP/2 that writes frames byte by byte as it likes, and the connection of ours that
 * it talks to, over a pair of sockets. Streams are answered by real pumps out of a fake source:
 * GET /n has n bytes, /wait none until it is released, any request's body is read and counted.
 * Linked into tests only (cmocka). */
#ifndef H2_TEST_CLIENT_H
#define H2_TEST_CLIENT_H

#include "h2/conn.h"
#include "http/h2_message.h"
#include "relay/message_end.h"
#include "relay/pump.h"

enum { LANES = 64, FIELDS = 64, ROOM = 1 << 20, SAID = 8192 };

/* One stream as its owner sees it. */
struct lane {
	struct relay relay;
	struct message req;
	struct field fields[FIELDS];
	uint16_t source_flags;
	bool used, has_head, ended, answered, broken;
	size_t body, size, given;
	char target[32];
	char trailers[64];
	char follows[16]; /* of each piece of the body: 'f' where the next is at hand */
};

/* The client, and what the owner of the connection sees. */
struct peer {
	int fd;              /* of the client; -1: closed */
	bool deaf;           /* it reads nothing */
	bool data_said;      /* each frame of DATA is told, else only the last of a stream */
	char out[ROOM], in[ROOM], said[SAID];
	size_t out_len, in_len;
	uint64_t bodies;     /* bytes of DATA so far */
	unsigned windows;    /* frames that made one larger, so far */
	struct h2_conn *server;
	struct lane lanes[LANES];
	bool refuse_all, hold; /* the owner takes no stream; reads no body */
	bool busy, closed;   /* what the owner was told */
};

extern struct peer peer;
extern const struct h2_limits peer_usual;

/* What a stream is answered with in the text of peer_heard. */
#define OK ":status=200,x-size=some"

/* ---- the owner ---- */
void lane_answer(struct lane *lane);
/* Breaks it off. */
void lane_leave(struct lane *lane);

/* ---- the client ---- */
/* A connection without a byte on it. bufsize: of the server's socket; 0: as usual. */
void peer_connect(const struct h2_limits *limits, int bufsize);
/* The same, and both have said and acknowledged their settings. */
void peer_begin_with(const struct h2_limits *limits);
void peer_begin(void);
/* Ends all of it; the connection has to be closed behind this. */
void peer_leave(void);
/* One turn of the loop, what was put is sent, what has come is taken. */
void peer_turn(void);
void peer_put(const void *bytes, size_t len);
void peer_frame(enum h2_type type, unsigned flags, uint32_t stream, const void *bytes, size_t len);
/* Fields of a request; extra: NULL, or those of `priority'. Their length. */
size_t peer_block(const char *method, const char *path, const char *extra, char *to);
/* HEADERS: GET with END_STREAM in flags, POST else. */
void peer_ask(uint32_t stream, const char *path, unsigned flags);
/* What came since last time, as text; heard: after some turns. It stands in said, too. */
const char *peer_hear(void);
const char *peer_heard(void);
void peer_expect(const char *text);

/* ---- the loop: for cmocka_run_group_tests ---- */
int peer_world_begin(void **state);
int peer_world_end(void **state);

#endif
