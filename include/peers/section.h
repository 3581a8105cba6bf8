/* SPDX-License-Identifier: BSD-2-Clause */
/* A section `peers': what the configuration says of it, and behind `life' what the process that
 * speaks keeps of it. doc/internals/peers.md */
#ifndef PEERS_SECTION_H
#define PEERS_SECTION_H

#include "base/list.h"
#include "config/config.h"
#include "peers/talk.h"

struct bind_conf;
struct log_conf;
struct peer_life;
struct proxy;
struct section_life;
struct server;

/* A member of a section. */
struct peer {
	struct list node;              /* peers_section.peers, in the order of the lines */
	struct peers_section *section;
	const char *name;
	struct server *server;         /* its address, and how it is reached: of the section's proxy */
	struct location loc;
	uint64_t who;                  /* hash of the names of section and member; not 0 */
	unsigned shard;                /* it is told keys of that one; 0: of all */
	bool local;                    /* that is us */
	bool has_address;              /* the server's; of the local one: where a successor listens */
	const char *sni;               /* the name that is asked for; NULL: none */
	struct peer_life *life;        /* peers/life.h; NULL: this process does not speak */
};

struct peers_section {
	struct list node;              /* peers_conf.sections */
	const char *name;
	struct location loc;
	struct proxy *proxy;           /* hidden: has its lines bind and server, and its log */
	struct bind_conf *bind;        /* what all lines bind and default-bind say */
	struct log_conf *log;          /* NULL: its lines are the process's */
	struct list peers;             /* struct peer.node */
	struct peer *local;            /* NULL: there is none: nobody speaks for the section */
	unsigned shards;               /* 0: none */
	bool disabled;
	bool has_member;               /* there is a line that names one */
	bool has_peer_line, has_bind_line; /* the two forms, which do not mix */
	struct peers_table *tables;    /* from prepare on */
	unsigned table_count;
	struct section_life *life;     /* peers/life.h; NULL: this process does not speak */
};

/* The data of peers_module. */
struct peers_conf {
	struct list sections;          /* struct peers_section.node */
	const char *local_name;        /* ours: -L, localpeer, or the name of the host */
	bool local_forced;             /* it is that of -L */
	bool succeeds;                 /* this process replaces another one: -sf */
	unsigned most_updates;         /* tune.peers.max-updates-at-once */
	struct peer *reading;          /* the member whose line is being read */
};

/* Is it in use: has a place for us, and is not disabled? */
static inline bool peers_section_speaks(const struct peers_section *s)
{
	return s->local && !s->disabled;
}

/* The sections of the running generation; never NULL. */
extern const struct peers_conf *peers_running;

/* The section of that name; NULL: none. */
struct peers_section *peers_section_find(const struct peers_conf *conf, const char *name);

/* A line about a section, to its log or the process's. */
void peers_log(const struct peers_section *s, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
