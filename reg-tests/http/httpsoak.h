/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * httpsoak: clients and origins at once around an HTTP proxy; see httpsoak.c. Here are the pieces:
 * plans drawn from numbers (plan.c), what writes and reads messages in every framing (framing.c),
 * the two sides (client.c, origin.c), and a little relay with deliberate faults, by which the judge
 * itself is judged (faulty.c).
 */
#ifndef HTTPSOAK_H
#define HTTPSOAK_H

#include "../../contrib/bench/common.h"

#include <stdio.h>

#define MAX_EXCHANGES 16
#define HEAD_MAX 12000
#define NEVER UINT64_MAX
#define MAX_SLOTS 512
#define MAX_SERVERS 2048
#define PIECE 65536

enum framing { NO_BODY, BY_LENGTH, CHUNKED, TO_CLOSE, TUNNEL };

struct body {
	enum framing framing;
	uint64_t size, seed;
	uint64_t dice;     /* for the sizes of chunks */
	size_t chunk_max;
	bool extensions, trailer;
};

/* How somebody reads and writes. */
struct manner {
	size_t piece, read_max;
	unsigned pause_every, pause_ms; /* one in so many calls is followed by a pause up to this */
	uint64_t pause_left;            /* nanoseconds of pauses still to be made */
	int sndbuf, rcvbuf;
};

/* The plan of an exchange. */
struct exchange {
	const char *method;
	bool head;          /* HEAD: the response announces a body and has none */
	bool expect;        /* the client waits for 100 before its body */
	bool early;         /* the origin answers while the request still comes */
	bool client_close, origin_close; /* who announces the end of the connection */
	unsigned hints;     /* 103 before the response */
	unsigned fillers;   /* header lines that mean nothing */
	int status;
	struct body request, response;
	struct manner origin;
	uint64_t break_at;  /* the origin breaks off after so many bytes of its answer, or NEVER */
	bool break_rst;
	bool excess;        /* a second response that nobody asked for follows at once */
};

/* The plan of a connection of a client. */
struct plan {
	unsigned exchanges, depth; /* requests it sends, and ahead of responses */
	bool http10, half_close;
	unsigned break_index;      /* in this exchange the client breaks off, */
	bool break_sending, break_rst;
	uint64_t break_at;         /* after so many bytes sent or received; NEVER */
	struct manner client;
};

struct plan_limits {
	uint64_t seed, largest;
	bool excess;      /* draw responses that are followed by another one */
	bool pipe_always; /* send requests behind an exchange that will end the connection */
	bool no_hints;    /* no 103, and no answer right behind 100 */
	bool no_half_close;
	bool retries;     /* the proxy asks again where nothing of an answer came */
	bool http11_only; /* a relay of bytes cannot make a request fit for HTTP/1.0 */
};
extern struct plan_limits limits;

/* The plan of connection `number`, and of its exchanges x[0..MAX_EXCHANGES). */
void plan_draw(uint32_t number, struct plan *p, struct exchange *x);

/* ---- framing.c: out ---- */

struct writer {
	struct body body;
	uint64_t made;       /* bytes of the body put into buf so far */
	uint64_t chunk_left; /* bytes of the open chunk that are not made yet */
	bool hold;           /* do not make the last byte and the end yet */
	bool done;           /* everything is in buf */
	char *buf;           /* what has not been sent: off..len */
	size_t off, len;
	uint64_t sent;       /* bytes of this message handed to the kernel */
};

/* Begins a message with this body; text is added with writer_text before any body is made. */
void writer_begin(struct writer *w, const struct body *b);
void writer_text(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The lines that announce the body (Content-Length, Transfer-Encoding, Trailer). */
void writer_announce(struct writer *w, const struct body *b);
/* Makes bytes until `want` lie ready or the message is complete. */
void writer_make(struct writer *w, size_t want);
static inline bool writer_empty(const struct writer *w) { return w->off == w->len; }
static inline bool writer_finished(const struct writer *w) { return w->done && w->off == w->len; }
void writer_free(struct writer *w);

/* ---- framing.c: in ---- */

enum reading {
	IN_HEAD,     /* lines of the head are collected */
	IN_HEAD_END, /* complete: the caller looks, and calls reader_body */
	IN_LENGTH, IN_CHUNK_LINE, IN_CHUNK_DATA, IN_CHUNK_END, IN_TRAILER,
	IN_RAW,      /* to the end of the connection */
	IN_DONE, IN_BAD
};

struct reader {
	enum reading at;
	char head[HEAD_MAX + 1]; /* the head, then lines of chunks and trailers */
	size_t len;
	uint64_t left;           /* of the length, or of the chunk */
	uint64_t pos, size, seed; /* of the body: read, expected, its text */
	unsigned trailers;       /* lines "X-Sum: SEED" that were seen */
	bool any;                /* the body may be any bytes */
	const char *bad;         /* why, when IN_BAD */
};

#define READER_SHORT "a body of another length"

void reader_begin(struct reader *r);
/* After IN_HEAD_END: what follows; the text it must be is b's. */
void reader_body(struct reader *r, const struct body *b, enum framing f, uint64_t length);
/* Takes bytes; stops at the end of a head and of a message. Returns how many were taken. */
size_t reader_feed(struct reader *r, const char *p, size_t n);
/* The value of a header in r->head after IN_HEAD_END, as a fresh string in a static buffer; NULL:
 * absent. "" is the start line. */
const char *reader_header(const struct reader *r, const char *name);
/* How a head announces its body. false: it contradicts itself. */
bool reader_announced(const struct reader *r, enum framing *f, uint64_t *length);

/* ---- httpsoak.c ---- */

/* What has happened to an exchange. */
struct fact {
	bool served, origin_broke;
	bool unsaid; /* ... before it had said anything */
	unsigned hints;
};

/* A connection of a client. */
struct slot {
	bool used;
	uint32_t number;
	struct plan plan;
	struct exchange x[MAX_EXCHANGES];
	struct fact fact[MAX_EXCHANGES];
	int fd, port;
	uint64_t last, read_at, write_at;
	unsigned sending, reading; /* requests begun, responses complete */
	bool writing;              /* a request is on its way out */
	bool waiting;              /* for 100 */
	bool ending;               /* this response or one before said that it is the last */
	bool shut, broke, failed;
	bool own;                  /* the response that is being read is one of the proxy's */
	int send_error;            /* errno of a send that failed; 0: none has */
	uint64_t got;              /* bytes of the response that is being read */
	struct writer out;
	struct reader in;
};

/* A connection that the proxy made to us. */
struct server {
	bool used;
	int fd;
	struct slot *slot;
	uint32_t number;
	unsigned index;
	bool busy;      /* a request has been recognised and its answer is not complete */
	bool expects;   /* it asks for 100, which the proxy may have said itself */
	bool requested; /* that request has come completely */
	bool answering; /* its answer has begun */
	bool draining;  /* we have ended; drop what comes */
	bool poisoned;  /* more was sent than was asked for */
	uint64_t read_at, write_at, pause_left;
	struct reader in;
	struct writer out;
	char buf[PIECE];
	size_t off, len;
};

struct soak {
	struct address front;
	int listener;
	double seconds;
	unsigned at_a_time;
	uint64_t patience, least;
	const char *fault;
	bool want_rst;
};
extern struct soak cfg;

/* What is printed in the end. */
struct soak_count {
	uint64_t connections, exchanges, bytes, client_breaks, origin_breaks, own, cut, reset, hidden;
	uint64_t tunnels, continued, hints, trailers, retries, failures;
};
extern struct soak_count count;
extern struct slot slots[MAX_SLOTS];
extern struct server *servers[MAX_SERVERS];
extern uint64_t dice;

/* Prints what is wrong with exchange i of a connection, once for each connection. */
void soak_fail(struct slot *s, unsigned i, const char *who, const char *what);
/* When to go on after a call: now, or after a pause out of *left. */
uint64_t soak_pause(const struct manner *m, uint64_t *left);
void soak_buffers(const struct manner *m, int fd, bool client);

/* ---- client.c ---- */

void slot_begin(struct slot *s);
/* Looks for the end of a connection and for one on which nothing moves. */
void slot_watch(struct slot *s);
/* What to poll for; what to do when some of it came. */
short slot_events(struct slot *s, uint64_t now);
void slot_ready(struct slot *s, short events);

/* ---- origin.c ---- */

void server_accept(void);
short server_events(struct server *v, uint64_t now);
void server_ready(struct server *v, short events);

/* ---- faulty.c ---- */

/* A process that relays bytes from `front` to `back` with a fault; its pid. Dies when the fault is
 * unknown. It ends when we do. */
pid_t faulty_start(const struct address *front, const struct address *back, const char *fault,
		   uint64_t seed);
void faulty_list(void);

#endif
