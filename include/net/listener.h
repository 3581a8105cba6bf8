/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening sockets: a bind line is a bind_conf with settings and one listener for each
 * address and port. A listener accepts and hands the descriptor up. */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include "base/list.h"
#include "base/result.h"
#include "config/config.h"
#include "config/keyword.h"
#include "event/loop.h"
#include "event/timer.h"
#include "net/addr.h"
#include "net/proto.h"

struct dgram_port;
struct listener_tally;
struct err;
struct tls_bind;
struct listener;
struct session;

enum { BIND_DEFER_ACCEPT = 1 << 0, BIND_TRANSPARENT = 1 << 1, BIND_V4V6 = 1 << 2,
       BIND_V6ONLY = 1 << 3, BIND_TFO = 1 << 4, BIND_EXPOSE_FD = 1 << 5,
       BIND_ACCEPT_PROXY = 1 << 6, BIND_ACCEPT_CIP = 1 << 7 };
/* How many kinds of parts there may be (net/bind_part.h), and one more. */
enum { BIND_PARTS_PLACES = 6 };

/* Socket options that every accepted connection inherits: set before listen. */
struct listen_options {
	bool tcp_nodelay, keepalive, nolinger, smart_accept;
	int keepalive_cnt;
	unsigned keepalive_idle_s, keepalive_intvl_s;
	size_t rcvbuf, sndbuf;  /* 0: the system's */
	int default_backlog;
};

struct bind_conf {
	struct list node;       /* proxy.binds */
	struct list listeners;  /* struct listener.node */
	struct location loc;
	const char *section;    /* that it stands in: "frontend web" */
	void *owner;            /* struct proxy */
	struct options options; /* BIND_* */
	const char *interface, *name, *namespace;
	int id, backlog, mss, nice;
	unsigned maxconn;       /* 0: no limit but the frontend's */
	unsigned tcp_ut;        /* ms */
	bool dgram;             /* a dgram-bind line: sockets for datagrams */
	/* Installed with that: one of them is bound, or was handed over, and needs its options. NULL,
	 * or what the system refused, with errno. */
	const char *(*bound)(const struct listener *l, int fd);
	uint64_t workers;       /* "thread", "process": bit N - 1; 0: not given */
	enum proto proto;       /* of clients; PROTO_UNSET: by ALPN, or what comes first */
	int mode;               /* Unix sockets; -1: not given */
	int uid, gid;           /* -1: not given */
	struct listen_options opt; /* as given to listener_open */
	struct tls_bind *tls;   /* tls/bind.h; NULL: its connections are plain */
	/* Nothing stands before the bytes of the connection any more. Installed by session/. */
	void (*begins)(struct session *session);
	uint32_t own_parts;     /* of modules, as parts: net/bind_part.h */
	void *parts[BIND_PARTS_PLACES];
};

enum listener_state { LISTENER_NEW, LISTENER_READY, LISTENER_FULL, LISTENER_LIMITED,
		      LISTENER_PAUSED, LISTENER_CLOSED };

struct listener {
	struct source src;
	enum listener_state state;
	struct list node;
	struct bind_conf *bind;
	struct addr addr;       /* port as bound */
	int id;
	const char *guid;       /* proxy/guid.h; NULL: none */
	struct listener_tally *tally; /* tally/tallies.h: upper layers count there */
	unsigned slot;          /* of the tally */
	unsigned current;       /* connections of this process; kept by whoever took them */
	unsigned maxconn;       /* in force; 0: none of its own */
	int backlog;            /* in force */
	bool inherited;         /* fd@N: the parent has it, too */
	bool light;             /* its connections are no load: whoever has much takes them, too */
	unsigned shard, shards; /* of a dgram-bind line: which of so many of its address */
	bool elsewhere;         /* another worker receives from it */
	struct dgram_port *port; /* dgram/: of a dgram-bind line */
	bool handed;            /* it was listening already, and comes from an earlier process */
	unsigned expected;      /* connections that a batch finds, of late; 0: not known yet */
	unsigned full_batches;  /* in a row: they took as many as was expected */
	struct list wait_node;  /* among those that wait for room */
	struct list share_node; /* among those that accept, of several processes: net/share.c */
	uint64_t round_ms;      /* when it went to the end of the line */
	unsigned since_round;   /* connections taken since then */
	struct timer retry;     /* brings it back when it was limited */
	/* A new connection: takes over fd (sets *fd to -1). Non-blocking, close-on-exec. */
	void (*accepted)(struct listener *l, int *fd, const struct addr *from);
	/* How many may be accepted now, 0 when full; and how long to wait (ms) when a rate
	 * limit is the reason, else 0. Asked before each batch. May be NULL. */
	unsigned (*room)(struct listener *l, unsigned *wait_ms);
	/* Of several processes (listeners_shared): the place that room has promised (never more
	 * than one then) is not needed any more, or the connection has it. Called once after each
	 * room that was not 0. May be NULL. */
	void (*settled)(struct listener *l);
	/* Of a dgram-bind line, before it is closed because this process ends: what waits there
	 * belongs to somebody. May be NULL. */
	void (*finishing)(struct listener *l);
};

/* A fresh listener for l->addr on this bind line; enters bind->listeners. */
void listener_init(struct listener *l, struct bind_conf *bind);
/* Opens, binds, listens (or takes the inherited descriptor). 0, or -1 and err, which says
 * plainly what is wrong: address in use, missing right, no such interface. */
MUST_USE int listener_open(struct listener *l, const struct listen_options *opt, struct err *err);
MUST_USE int listener_start(struct listener *l);   /* begins to accept: enters the loop */
void listener_full(struct listener *l);   /* out of the loop, until listener_start */
/* Stops listening; keeps the address where the system allows it without being in the way of
 * another process: an abstract Unix socket is closed, and bound again by listener_resume. Sockets
 * that the parent shares go on listening. */
void listener_pause(struct listener *l);
/* 0, or -1: the address was lost. */
MUST_USE int listener_resume(struct listener *l);
void listener_close(struct listener *l);
/* Accepts what waits in the kernel, as far as there is room, and closes: those who connected
 * are not reset because another process takes over. */
void listener_finish(struct listener *l);
/* Something was freed (descriptor, session): those waiting for room accept again. */
void listeners_wake(void);

/* "127.0.0.1:80", "/run/x.sock", "abns@x", "fd@3", for messages. Returns buf. */
const char *listener_name(const struct listener *l, char *buf, size_t size);

/* Several processes have these sockets: what one does to a socket happens to all. */
extern bool listeners_shared;
/* This process only keeps them open for others: it accepts nothing. */
extern bool listeners_held;
extern unsigned listener_max_accept; /* tune.maxaccept; UINT_MAX: no limit */
/* So many processes share the listeners: each takes at most half of its share of tune.maxaccept in
 * a row, so that one that is awake does not take what would wake another. */
void listeners_divide_batch(unsigned processes);

/* Installed by upper layers; may be NULL. */
struct listener_hooks {
	/* accept failed for want of descriptors or memory (errno); at most once a second. */
	void (*out_of_resources)(struct listener *l, int error);
};
extern struct listener_hooks listener_hooks;

struct listener_stats {
	uint64_t accepted;
	uint64_t failed; /* accept refused for want of descriptors or memory */
};
extern struct listener_stats listener_stats;

/* For show profiling. */
extern const struct profile_name listener_profile;

#endif
