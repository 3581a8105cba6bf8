/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process that speaks for all keeps of sections and members, and the calls between the
 * files of peers/ that keep it: link.c (a connection), resync.c (who teaches), peers.c (who is
 * called when, and what changes). doc/internals/peers.md */
#ifndef PEERS_LIFE_H
#define PEERS_LIFE_H

#include "base/kind.h"
#include "base/list.h"
#include "base/result.h"
#include "event/loop.h"
#include "event/timer.h"
#include "peers/hello.h"
#include "peers/section.h"
#include "peers/talk.h"

struct conn;
struct listener;

enum { PEERS_WAIT_MS = 5000,       /* for a connection, a hello, a status, a teacher */
       PEERS_RETRY_MS = 5000,      /* from one attempt to the next */
       PEERS_REFUSED_MS = 60000,   /* the same behind a refusal */
       PEERS_BEAT_MS = 3000,
       PEERS_SILENCE_MS = 5000,    /* a window without a message ends the connection */
       PEERS_STUCK_MS = 30000,     /* what it has not taken by then ends it, too */
       PEERS_FRESH_MOST = 32,      /* connections of a section that have not said a name */
       PEERS_WHY = 192 };

enum link_state { LINK_CONNECTS, LINK_SHAKES, LINK_HEARS, LINK_ASKS, LINK_TALKS };

enum { LINK_READ = 6144, LINK_OUT = 65536 };

/* A connection. */
struct peer_link {
	struct list node;              /* section_life.links */
	struct section_life *home;
	struct peer_life *peer;        /* NULL: it has not said its name */
	struct conn *conn;
	struct talk *talk;             /* LINK_TALKS */
	enum link_state state;
	bool called;                   /* we have called */
	bool untimed;                  /* it speaks version 2.0 */
	bool tie;                      /* it has taken the place of another one */
	bool successor;                /* to who replaces this process: it is taught */
	uint64_t since_ms;             /* it talks since then */
	uint64_t said_ms;              /* heartbeat or update */
	uint64_t took_ms;              /* it has taken bytes, or nothing was left */
	uint64_t look_ms;              /* when silence is looked for next */
	uint64_t heard;                /* messages by the last look */
	struct timer timer;
	struct task task;
	struct reap reap;
	size_t in_len;
	char in[HELLO_MOST];           /* of the hello, or the status */
	size_t heard_at, heard_len;    /* LINK_TALKS: of what was read, how much was taken */
	char heard_bytes[LINK_READ];
	unsigned char *out;            /* LINK_TALKS: LINK_OUT bytes */
	size_t out_len, out_sent;
	uint8_t events;                /* SAID_* */
	KIND_MEMBER
};
enum { SAID_FINISHED = 1, SAID_PARTIAL = 2, SAID_CONFIRMED = 4, SAID_ASKED = 8 };

/* A member, as the process that speaks sees it. */
struct peer_life {
	struct peer *peer;
	struct peer_link *link;             /* NULL: none */
	struct timer timer;            /* the next call */
	uint64_t tried_ms;             /* of the last call; 0: none */
	uint64_t hello_ms;             /* of the last hello that was accepted; 0: none */
	bool refused;                  /* it has answered the last call with a refusal */
	bool partial;                  /* it lacks something itself, in this resync */
	bool known_up;                 /* the log was told last that it is connected */
	uint32_t told_why;             /* hash of the reason that the log was told last; ... */
	unsigned told_whys;            /* one of so many since it has talked */
	uint64_t said_ms;              /* when the log was told last */
	unsigned untold;               /* connections that it was not told of since */
	int status;                    /* of the last hello of either side; 0: none */
	char why[PEERS_WHY];           /* the last connection has ended, or there was none */
	/* since this process speaks */
	unsigned calls, calls_taken, accepted, refusals, collisions, silences;
	struct talk_counts before;     /* of connections that have ended */
};

enum resync_state { RESYNC_DONE, RESYNC_PREDECESSOR, RESYNC_LOOKS, RESYNC_ASKED };

struct section_life {
	struct peers_section *section;
	struct list links;
	unsigned fresh;                /* of them, without a name */
	unsigned talking;
	unsigned table_at;             /* that is looked at for changes next */
	bool leaves;                   /* it teaches who replaces this process, or tries to */
	enum resync_state resync;
	struct peer_life *teacher;     /* RESYNC_ASKED */
	uint64_t heard;                /* what it has taught by the last look */
	struct timer resync_timer;
	unsigned life_count;
	struct peer_life lives[];      /* of all members, in the order of the lines */
};

/* ---- link.c ---------------------------------------------------------------------------------- */

/* Calls the member, under our name; NULL: it could not be tried, peer->why says why. */
struct peer_link *peer_link_call(struct section_life *home, struct peer_life *peer);
/* It was called: takes over fd. */
void peer_link_accept(struct section_life *home, struct listener *l, int *fd);
/* Closes; peers.c hears nothing of it. */
void peer_link_close(struct peer_link **link, bool reset);
/* There may be something to be told: of tables; of anything. */
void peer_link_tables_changed(struct peer_link *link);
void peer_link_wake(struct peer_link *link);

/* What a connection means for its member and section. Installed by peers.c. */
struct link_hooks {
	/* Somebody has called under that name: what it is answered. */
	enum hello_status (*hello)(const struct peer_link *link, struct span caller);
	/* It was told that it is accepted: link->peer is set, and another connection of that member
	 * closed. Not before: HAProxy 2.6 calls at times though it has a connection, and resets the
	 * new one. */
	void (*takes)(struct peer_link *link, struct span caller);
	/* The conversation begins: link->talk is there. */
	void (*talks)(struct peer_link *link);
	/* What the other side has said: link->events, not while the talk runs. The link may be
	 * closed. */
	void (*said)(struct peer_link *link);
	/* The connection has ended, and is closed right after. status: that it has answered, or 0. */
	void (*lost)(struct peer_link *link, int status, const char *why);
	bool (*up_to_date)(void *home);
};
extern struct link_hooks link_hooks;

/* ---- peers.c, for peers_conf.c and leave.c -----------------------------------------------------
 */

/* This process speaks from now on, or does not any more. */
void peers_speak(bool on);
/* Closes all connections; nobody is called. */
void peers_quiet(void);

/* ---- leave.c ----------------------------------------------------------------------------------
 */

extern bool leave_began; /* this process ends: no member is called, nobody is heard */
/* Who replaces this process has taken all; the connection to it is lost, or there was none: nobody
 * listens. */
void leave_taught(struct section_life *life);
void leave_lost(struct section_life *life, bool nobody);

/* ---- resync.c -------------------------------------------------------------------------------- */

/* The section begins to speak. predecessor: a process that this one replaces may teach it. */
void resync_begin(struct section_life *life, bool predecessor);
/* A member talks; it has ended its teaching; its connection is lost. */
void resync_talks(struct section_life *life);
void resync_taught(struct section_life *life, struct peer_link *link, bool wholly);
void resync_lost(struct section_life *life, struct peer_link *link);
void resync_end(struct section_life *life);

#endif
