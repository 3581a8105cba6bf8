/* SPDX-License-Identifier: BSD-2-Clause */
/* An end of a stream: where bytes come from and go to. A connection (plain or TLS), an
 * applet inside the program, a stream of HTTP/2. A pump sees nothing but ends. */
#ifndef RELAY_END_H
#define RELAY_END_H

#include "base/io.h"
#include "base/kind.h"
#include "base/str.h"
#include "net/conn.h"
#include "net/conn_link.h"

struct end;
struct message;
struct pipe;
struct pump;
struct relay;

/* What comes behind bytes that an end holds. */
enum held_next {
	HELD_MAYBE,   /* nobody knows */
	HELD_LAST,    /* nothing: they end the body */
	HELD_FOLLOWS, /* more, which is given in this turn */
};

struct end_ops {
	const char *name; /* "tcp", "cli": for show sess */
	/* Body bytes. recv: IO_EOF at the end of the stream, of the message's body for ends
	 * that speak messages. IO_AGAIN: ready is called when it is worth another try. send: IO_OK
	 * with less than all sent says that what is below is full, too; nothing is offered before
	 * ready is called. One that takes pieces of its own size goes on until it is. */
	enum io (*recv)(struct end *end, void *buf, size_t size, size_t *got);
	enum io (*send)(struct end *end, const void *buf, size_t len, bool more, size_t *sent);
	/* Body bytes that lie in the end's own memory and pass as they are: for a pump to send from
	 * there. False: none, ask recv. give: the first n of them have left. Both NULL where
	 * there never are any. Whoever keeps bytes in memory of its own sets CONN_HELD, for the
	 * socket may stay quiet: it has held, if only to say that recv is to be asked. */
	bool (*held)(struct end *end, struct span *bytes, enum held_next *next);
	void (*give)(struct end *end, size_t n);
	/* Both NULL for ends that have no socket of plain bytes. Results as pipe_pull. */
	enum io (*splice_in)(struct end *end, struct pipe *pipe, size_t max, size_t *got);
	enum io (*splice_out)(struct end *end, struct pipe *pipe, bool more, size_t *sent);
	/* All has been sent: FIN, last chunk, end of message. What it has to say may be held back
	 * if the peer takes nothing now: framing->held, flush. */
	void (*finish)(struct end *end);
	/* Sends what was held back (framing->held). NULL where nothing ever is. */
	enum io (*flush)(struct end *end);
	/* Nothing more to do with this end: closes or hands back what is below it, broken off
	 * visibly for the peer when reset. */
	void (*close)(struct end *end, bool reset);
	/* Milliseconds after which a quiet peer of this end is left; 0: as the proxy says.
	 * NULL: the same. */
	unsigned (*timeout)(const struct end *end);
	/* It is at work, whatever its peer does, and has limits of its own: nobody is quiet meanwhile.
	 * When it is not, it waits for its peer. NULL: none of this is known. */
	bool (*busy)(const struct end *end);
	bool socket; /* what is below is a connection */
};

/* What an end that speaks messages (relay/message_end.h) tells its pumps, and is told: lives in
 * the end's own state. */
struct framing {
	uint64_t passable; /* in: next bytes of the body that nobody needs to see; UINT64_MAX:
			    * all */
	bool ended;        /* in: all of the message's body was given */
	bool raw;          /* in: what is given are not the bytes of the body alone, but the coding
			    * of the wire (chunks), too: for a sink of the same kind */
	bool held;         /* out: something was accepted and not sent: flush */
	bool coded;        /* out: bytes of the body are put into a coding: no splice */
	bool keep;         /* out: the peer may be told that the connection lives on */
	bool closes;       /* out: our FIN follows the last byte of the body at once */
	bool no_memory;    /* out: why it has failed */
	bool endless;      /* in: nothing but the end of what is below ends the body */
};

struct end {
	const struct end_ops *ops; /* NULL: not there (yet, or any more) */
	struct framing *framing;   /* NULL: it speaks bytes; else ops are those of message_ops */
	uint16_t *flags;           /* readiness: CONN_* bits of what is below; never NULL: one that
				    * is not there is ready for nothing */
	void *below;               /* end_conn, end_applet */
	struct pump *in, *out;     /* the pump that reads from it; that writes to it */
	KIND_MEMBER
};

/* Its opposite: where its bytes go. */
#define end_peer(end) ((end)->in->to)

/* The connection below; NULL: there is none. */
static inline struct conn *end_conn(const struct end *end)
{
	return end->ops && end->ops->socket ? KIND_OF(struct conn, end->below) : NULL;
}
/* The same for the operations of an end over a connection, which know that there is one. */
static inline struct conn *end_socket(const struct end *end)
{
	return KIND_OF(struct conn, end->below);
}
/* Has it a connection of its own below? Then its flags are those of the connection. */
static inline bool end_is_conn(const struct end *end)
{
	return end->ops && end->ops->socket;
}
/* What is asked of that; nothing is known of one that others share. */
static inline struct link end_own_link(const struct end *end)
{
	return conn_link(end_conn(end));
}
/* What end_set_applet was given, for the operations of that applet. */
static inline void *end_applet(const struct end *end)
{
	return end->below;
}

/* May bytes go through a pipe from the one to the other? */
static inline bool end_can_splice(const struct end *from, const struct end *to)
{
	return from->ops->splice_in && to->ops && to->ops->splice_out &&
	       conn_can_splice(end_socket(from), LAYER_SPLICES_IN) &&
	       conn_can_splice(end_socket(to), LAYER_SPLICES_OUT);
}

/* Makes the end a plain connection, which it owns from now on; clears the pointer. */
void end_take_conn(struct end *end, struct conn **conn);
/* The connection's events run the pumps from now on (they do after end_take_conn, too). */
void end_use_conn(struct end *end);
/* Makes it an applet: ops and flags of the applet's own. framing: NULL when it speaks bytes. */
void end_set_applet(struct end *end, const struct end_ops *ops, void *applet, uint16_t *flags,
		    struct framing *framing);
/* Readiness of what is below has changed: runs the pumps concerned. For applets. */
void end_ready(struct end *end);
/* ops->timeout says something else from now on. The owner may close this end. */
void end_timeout_changed(struct end *end);
/* Called at the end of a pump's run when flags of PUMP_NOTICES were added, and when the source has
 * hung up while the pump is not open; and when the timeout of its source has changed. Never from
 * inside a run. Installed by stream/: every relay is a stream's. */
extern void (*relay_notice)(struct relay *relay, struct pump *pump);
/* Closes and forgets what is below; safe to call twice. The pump that writes to it, if it was open,
 * is stopped: nobody takes what it holds or moves from here on. */
void end_close(struct end *end, bool reset);
extern uint16_t end_ready_for_nothing; /* flags of an end that is not there: 0 */
/* It is not there any more: what is below, if anything, is somebody else's. */
static inline void end_forget(struct end *end)
{
	end->ops = NULL;
	end->framing = NULL;
	end->below = NULL;
	end->flags = &end_ready_for_nothing;
}

extern const struct end_ops end_conn_ops;

#endif
