/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of an HTTP/2 connection, for its files alone. Each needs none that is named in front
 * of it: life.c (beginning, turns, end), in.c (what comes), end.c (the end of a stream),
 * heads.c (fields that come), linger.c (what comes behind an answer), peer_window.c (how
 * much may leave), streams.c, upgrade.c (the beginning of one that carries another protocol),
 * block.c (fields that leave), window.c (how much may come), fault.c, out.c (what
 * leaves), budget.c, bytes.c. */
#ifndef H2_STREAM_H
#define H2_STREAM_H

#include "base/kind.h"
#include "base/result.h"
#include "event/loop.h"
#include "event/timer.h"
#include "h2/conn.h"
#include "http/h2_message.h"
#include "relay/message_end.h"

struct buf;
struct h2_opening;

enum {
	H2_BUCKETS = 16,
	H2_RESETS = 32,           /* of our own that are remembered */
	H2_OUT_ENOUGH = 32768,    /* so much waits to be sent: streams wait as well */
	H2_SHARE = 16384,         /* of a stream that is not alone, before the next one's turn */
	H2_BYTES_MOST = 1 << 30,  /* a piece of memory that grows */
	H2_OUT_MOST = 65536,      /* so much does: nothing more is read */
	H2_WINDOW_USUAL = 1 << 20, /* of the connection; a stream's grows to it when it is used */
	H2_WINDOW_CLIENT = 1 << 18, /* up quickly (a stream's to a server: to this); ... */
	H2_WINDOW_LONG = 8 << 20, /* ... both grow to this where the path is long, ... */
	H2_LONG_ALL = 64 << 20,   /* ... while all of the process have not had so much more */
	H2_WINDOW_LEAST = 16384,  /* of a stream to a server, with which all begin; what streams ... */
	H2_GROWN_ALL = 16 << 20,  /* ... have beyond that, all together; ... */
	H2_GROWN_QUICK = 12 << 20, /* ... where their path is not long, or they begin */
	H2_KEPT_MUCH = 1 << 20,   /* by readers that do not keep up: streams begin with no more */
	H2_WORK_HEAD = 32,        /* a frame is 1, one that begins a stream so much more */
	H2_TRUST_MOST = 15,       /* in a turn of the loop a connection begins so many more than one */
	H2_TRUST_BYTES = 1024,    /* of DATA at once: a body, and no flood of frames */
	H2_CREDITS_FIRST = 128,   /* windows made larger, and PINGs, before a body has left, ... */
	H2_CREDITS_STREAM = 4,    /* ... more of them for each stream, ... */
	H2_CREDIT_BYTES = 1024,   /* ... one for so many bytes (Go makes two larger for 4 kB), ... */
	H2_CREDITS_PIECE = 2,     /* ... for a piece at least so many (gRPC: one, and a PING), ... */
	H2_GIVEN_UP_MOST = 1000,  /* interim answers that nobody reads */
	H2_CREDITS_MOST = 16384,  /* ... and so many in all */
};

/* Bytes that wait, in memory that grows. None while len is 0. */
struct h2_bytes {
	char *data;
	uint32_t head, len, size;
};

struct h2_stream {
	struct framing framing; /* first */
	struct h2_conn *conn;
	struct end *end;        /* NULL: not lent, or closed */
	struct h2_stream *next; /* in its bucket */
	struct list node;       /* conn->streams */
	struct list waiting;    /* conn->waiting[urgency] */
	struct list talking;    /* conn->talking */
	uint32_t id;            /* 0: of ours, and nothing was said of it */
	uint16_t flags;         /* CONN_* */
	struct h2_priority priority;
	bool fresh;             /* its head was read and is given next */
	bool has_head;          /* the message's, behind which are trailers */
	bool in_ended;          /* the peer's END_STREAM */
	bool out_ended;         /* ours */
	bool closes;            /* GOAWAY follows our last byte of it */
	bool extended;          /* its request is an extended CONNECT, which became an Upgrade */
	bool asks_tunnel;       /* a CONNECT of either kind that nobody has accepted yet: no body */
	bool reset;             /* by one of the two */
	bool marked;            /* the body's bytes stay, to be given again */
	bool told;              /* that the connection is gone */
	bool unprocessed;       /* client: the peer says that it has not looked at it */
	uint8_t request_method; /* client */
	uint16_t given_up;      /* client: interim answers that nobody has read in time */
	uint32_t unread;        /* bytes of a head of which nothing was kept */
	uint16_t wrong;         /* status: what came is no message */
	int32_t send_window;    /* below 0 after SETTINGS */
	int32_t recv_window;    /* that the peer has left */
	uint32_t window;        /* to which that is filled up */
	uint32_t given;         /* bytes since that was done */
	uint32_t debt;          /* bytes that the peer may send and is not to: what leaves pays it */
	uint32_t sink_room;     /* to a server: what the client's windows let pass, as of late */
	uint32_t grown;         /* of window and debt, what counts in totals->grown: client */
	uint64_t filled_ms;     /* and when */
	uint64_t lingers_ms;    /* answered and taken back, but the request goes on: since then */
	uint64_t left;          /* bytes of DATA that are to come; UINT64_MAX: any */
	bool follows;           /* behind it more lies in the memory that was received into */
	struct span now;        /* DATA at hand, in the memory that was received into */
	struct h2_bytes in;     /* what came before that and was not given */
	uint32_t marked_given;  /* of in: marked bytes that were given */
	struct buf *head;       /* where the strings of the head lie */
	struct h2_opening *opening; /* of another protocol; else NULL */
	struct message *kept;   /* the head, where nobody has asked for it at once */
	struct h2_bytes trailers; /* as lines */
	struct reap reap;
};

enum h2_state {
	H2_PREFACE,  /* the peer's is not complete */
	H2_SETTINGS_DUE,
	H2_OPEN,
	H2_CLOSING,  /* GOAWAY with an error is the last that leaves */
	H2_DEAD,     /* nothing passes over it any more; it is closed when the streams know */
};

struct h2_conn {
	struct conn *conn;      /* NULL: closed */
	const struct h2_owner *ops;
	void *owner;
	bool client;
	uint8_t state;          /* enum h2_state */
	bool draining;          /* GOAWAY was said: no stream begins */
	bool leaving;           /* it will be, when the peer has answered PING */
	bool refused;           /* GOAWAY was heard */
	bool told;              /* the streams know that it is dead */
	bool faulty;            /* h2_fault has ended it */
	bool over;              /* the owner knows that no stream begins any more */
	bool table_shrunk;      /* the peer wants to hear that our table is empty */
	bool greeted;           /* the peer's first settings are here */
	bool pending;           /* what lies in `in' was not looked at */
	bool acknowledged;      /* the peer knows our settings */
	uint16_t round_ms;      /* how long it took until we heard that */
	bool takes_connect;     /* SETTINGS_ENABLE_CONNECT_PROTOCOL of a server */
	uint32_t credits;       /* of H2_CREDIT_BYTES each */
	uint8_t trust;          /* H2_TRUST_MOST */
	bool took;              /* what came, in this turn */
	bool unacked;           /* nothing was sent since something came, which would acknowledge it */
	int work;               /* that is left of this turn's */
	uint32_t turn;          /* of the loop (loop_stats): which one that is */
	struct h2_limits limits;
	struct h2_reader reader;
	struct field_table table;
	struct h2_bytes in;     /* a frame that is not complete */
	struct h2_bytes block;  /* fields that are not complete */
	struct h2_frame block_frame; /* HEADERS that began it; stream 0: none */
	uint32_t block_dependency;
	unsigned block_frames;
	struct h2_bytes out;
	uint32_t last_frame;    /* of out: offset of the last frame; last_stream 0: it is no */
	uint32_t last_stream;   /* longer there, or does not end a stream */
	int64_t send_window;
	int32_t recv_window;
	uint32_t window;        /* to which that is filled up */
	uint32_t window_grown;  /* by so much */
	uint32_t given;
	uint64_t filled_ms;
	int32_t peer_window;    /* SETTINGS_INITIAL_WINDOW_SIZE of the peer */
	uint32_t peer_streams;
	uint32_t last_in, next_out; /* ids */
	uint32_t resets[H2_RESETS]; /* ids that we have reset, a ring */
	unsigned reset_at;
	struct list streams;
	unsigned openings;         /* client: of streams whose head waits for the peer's settings */
	struct h2_stream *due;     /* client: a head came for it, of which nobody has heard */
	struct h2_stream *buckets[H2_BUCKETS];
	struct list waiting[H2_URGENCY_LEAST + 1];
	struct list talking;       /* streams with heads for which there was no room: no window
				    * holds these back */
	struct h2_stream *serving; /* whose turn it is, when others wait, ... */
	uint32_t share;            /* ... for so many bytes more */
	struct h2_numbers numbers;
	struct h2_counts *counts;
	struct h2_totals *totals;
	struct task task;
	struct timer timer;        /* until our settings are acknowledged */
	struct timer linger;       /* until streams that linger are reset */
	uint64_t calm_ms;          /* when glitches were last forgiven */
	unsigned calm;             /* glitches that are not forgiven */
	KIND_MEMBER
};

static inline struct h2_stream *h2_state(const struct end *end)
{
	return container_of(end->framing, struct h2_stream, framing);
}

/* A client has asked for a tunnel, and nobody has agreed to it: the request has no body, and what
 * came behind it is nobody's until the tunnel stands (RFC 9113 8.5, RFC 8441 5). */
static inline bool h2_has_no_body(const struct h2_stream *st)
{
	return st->asks_tunnel && !st->conn->client;
}

static inline size_t h2_kept_bytes(const struct h2_stream *st)
{
	return st->in.len - st->marked_given;
}

static inline size_t h2_bytes_at_hand(const struct h2_stream *st)
{
	return h2_has_no_body(st) ? 0 : h2_kept_bytes(st) + st->now.len;
}

/* Has the body ended, all of it given or not? */
static inline bool h2_body_is_here(const struct h2_stream *st)
{
	return st->in_ended || h2_has_no_body(st);
}

/* ---- bytes.c ---- */
MUST_USE bool h2_bytes_room(struct h2_bytes *b, size_t n); /* n bytes behind what is there */
MUST_USE bool h2_bytes_add(struct h2_bytes *b, const char *bytes, size_t n);
void h2_bytes_skip(struct h2_bytes *b, size_t n);
void h2_bytes_free(struct h2_bytes *b);
static inline char *h2_bytes_first(const struct h2_bytes *b)
{
	return b->data + b->head;
}
static inline char *h2_bytes_tail(const struct h2_bytes *b)
{
	return b->data + b->head + b->len;
}

/* ---- budget.c ---- */
/* What SETTINGS say of a stream's window: to a server it is small, and made larger behind the
 * request. */
uint32_t h2_window_first(const struct h2_conn *c);
/* n bytes of what the stream's window took from others are theirs again, or as many as it did. */
void h2_window_returns(struct h2_stream *st, uint32_t n);
/* The connection ends, the stream does: what its window took from others is theirs again. */
void h2_window_end(struct h2_conn *c);
void h2_stream_window_end(struct h2_stream *st);
/* Bytes of a body have left: the peer has a reason to make windows larger, or to say PING. Is there
 * one? */
MUST_USE bool h2_excused(struct h2_conn *c);
void h2_earned(struct h2_conn *c, uint32_t bytes);

/* ---- out.c ---- */
/* Memory to put frames together in, lent as a rule for a turn. b->data is NULL: there is none. */
void h2_desk_take(struct h2_bytes *b);
void h2_desk_give(struct h2_bytes *b);
/* Room in out for a frame of so many bytes, header included; NULL: no memory, it is dead then. */
char *h2_out(struct h2_conn *c, size_t n);
void h2_out_done(struct h2_conn *c, const char *end); /* up to there it was filled */
void h2_out_skip(struct h2_conn *c, size_t n);        /* so many bytes of out have left */
/* The socket takes no more: what waits for it long lies in as much memory as it needs. */
void h2_out_rests(struct h2_conn *c);
void h2_flush(struct h2_conn *c);
void h2_dead(struct h2_conn *c);
/* No stream begins any more: tells the owner, once. */
void h2_over(struct h2_conn *c);

/* ---- fault.c ---- */
/* RST_STREAM where there is no stream. */
void h2_reset_id(struct h2_conn *c, uint32_t id, enum h2_code code);
/* RST_STREAM alone: whatever comes there is judged as before. */
void h2_say_reset(struct h2_conn *c, uint32_t id, enum h2_code code);
MUST_USE bool h2_was_reset(const struct h2_conn *c, uint32_t id);
/* GOAWAY: no stream begins any more. */
void h2_goaway(struct h2_conn *c, enum h2_code code);
/* GOAWAY, and the end. */
void h2_fault(struct h2_conn *c, enum h2_code code);
/* It costs the peer next to nothing and us more. False: that was too many, and the connection has
 * ended. h2_glitch is for who does nothing with the connection behind it. */
MUST_USE bool h2_glitch_borne(struct h2_conn *c);
void h2_glitch(struct h2_conn *c);
/* A stream is not processed: we say so, or the server does. */
static inline void h2_refused(struct h2_conn *c)
{
	c->numbers.refused++;
	c->totals->refused++;
	c->counts->refused_streams++;
}

/* ---- window.c ---- */
/* Client: may it have more than its window's first, by what is configured and kept here? */
MUST_USE bool h2_window_is_little(const struct h2_stream *st);
/* Client: its head is in c->out. Who reads well may send as much as is usual, from the start; for a
 * window that is little. */
void h2_window_begin(struct h2_stream *st);
/* n bytes of DATA came. What others have not taken may not hold up streams of other clients over
 * the same connection to a server: there the connection's window is filled up at once, and what may
 * lie here is bounded by the windows of the streams. */
void h2_received(struct h2_conn *c, size_t n);
/* n bytes of the stream's body have left us, or nobody wants them. st: NULL, of none any more. */
void h2_gave(struct h2_conn *c, struct h2_stream *st, size_t n);
/* Keeps bytes of the stream that nobody has taken: the reader does not keep up where they are more
 * than half of its window, and half of that is enough. False: no memory. */
MUST_USE bool h2_keep(struct h2_stream *st, struct span bytes);
/* n of the bytes that were kept are not any more. */
static inline void h2_unkept(struct h2_stream *st, size_t n)
{
	st->conn->totals->kept -= n;
}
/* It took so long until the peer had acknowledged what we said to it. */
void h2_round_trip(struct h2_conn *c, uint64_t ms);
/* How much may come on all streams, where that is more than the protocol begins with. */
void h2_say_window(struct h2_conn *c);

/* ---- block.c ---- */
/* Room for a block of fields: all that HPACK may make of so much text. */
size_t h2_block_room(size_t text, unsigned count);
/* A block is written to the connection's memory; NULL: no memory, it is dead. */
char *h2_block_begins(struct h2_conn *c, size_t room, struct hpack_writer *w);
/* ... and leaves, p being what begins gave. */
void h2_block_ends(struct h2_stream *st, char *p, const struct hpack_writer *w, unsigned flags);

/* ---- upgrade.c ---- */
/* A client's request, which was an extended CONNECT. False: no memory. */
MUST_USE bool h2_upgrade_came(struct h2_stream *st, const struct message *req);
/* Is the 101 what answers the client's request? True for requests that are none of these. */
MUST_USE bool h2_upgrade_accepts(const struct end *end, const struct message *res);
/* Client: the request, which has an upgrade_protocol, is to leave. What comes of it the stream learns:
 * where the server takes none, it is wrong. */
MUST_USE enum io h2_upgrade_ask(struct h2_stream *st, const struct message *msg);
/* Client: the block of fields of a head that has waited, and waits no more; the stream's own.
 * False: none has. */
MUST_USE bool h2_upgrade_due(struct h2_stream *st, struct span *block);
/* Client: a response came. One of 2xx to such a request becomes a 101. False: no room for it. */
MUST_USE bool h2_upgrade_taken(struct h2_stream *st, struct message *res);
void h2_upgrade_free(struct h2_stream *st);

/* ---- streams.c ---- */
struct h2_stream *h2_stream_find(const struct h2_conn *c, uint32_t id);
struct h2_stream *h2_stream_new(struct h2_conn *c, uint32_t id);
/* Its end is closed, and nothing more is said: forgets it. */
void h2_stream_free(struct h2_stream *st);
/* Client: its head is about to leave, so it has a number from now on. False: there is none. */
MUST_USE bool h2_stream_number(struct h2_stream *st);
MUST_USE bool h2_is_idle(const struct h2_conn *c, uint32_t id);
/* Client: we have asked, and left; what was on its way is nobody's. */
MUST_USE bool h2_is_ours_no_more(const struct h2_conn *c, uint32_t id);
/* Flags and framing say what can be read. */
void h2_note(struct h2_stream *st);
/* The peer has reset it, or the connection is gone. */
void h2_stream_broken(struct h2_stream *st);
/* RST_STREAM; whoever has the end is told. */
void h2_stream_reset(struct h2_stream *st, enum h2_code code);
/* The stream ends for what its peer did: h2_stream_reset, and a glitch. */
void h2_stream_fault(struct h2_stream *st, enum h2_code code);
/* It has something to send and may not. */
void h2_stream_wait(struct h2_stream *st);
void h2_stream_writable(struct h2_stream *st);
/* It has a head to say, and there is no room for that. */
void h2_stream_talk(struct h2_stream *st);

/* ---- peer_window.c ---- */
/* SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_UPDATE of the peer. */
void h2_window_set(struct h2_conn *c, uint32_t value);
void h2_window_came(struct h2_conn *c, uint32_t id, uint32_t by);

/* ---- linger.c ---- */
/* Answered before its request was complete, and taken back: RST_STREAM follows later. */
void h2_stream_linger(struct h2_stream *st);
/* RST_STREAM for one of those now. False: there is none. */
MUST_USE bool h2_linger_less(struct h2_conn *c);
void h2_linger_late(struct timer *timer);

/* ---- heads.c ---- */
/* HEADERS or CONTINUATION came: with the last of them a stream begins, or learns of its head or
 * trailers. */
void h2_fragment_came(struct h2_conn *c, const struct h2_read *r);
/* c->due: its head came, and what follows is not its body: whoever waits for it is told. With the
 * body at hand both are told at once, and leave at once. */
void h2_tell_due(struct h2_conn *c);
/* Gives the head to whoever asks for it. False: there is none. */
MUST_USE bool h2_head_give(struct h2_stream *st, struct message *msg);

/* ---- end.c ---- */
extern const struct message_ops h2_end_ops;
/* Client: heads that have waited (h2_upgrade_ask) leave, once the settings are here. */
void h2_openings_go(struct h2_conn *c);

/* ---- in.c ---- */
extern const char h2_leave_word[8]; /* in the PING of h2_conn_leave */
/* Memory to receive into. False: there is none. */
MUST_USE bool h2_receive_init(void);
void h2_receive(struct h2_conn *c);

#endif
