/* SPDX-License-Identifier: BSD-2-Clause */
/* A server: what the configuration says of it, and apart from that, behind pointers, what is known
 * of it (state) and what this process counts (tally). */
#ifndef PROXY_SERVER_H
#define PROXY_SERVER_H

#include "base/list.h"
#include "config/config.h"
#include "config/keyword.h"
#include "event/timer.h"
#include "net/addr.h"
#include "net/proto.h"
#include "tally/tallies.h"
#include "tls/settings.h"

struct arena;
struct resolvers;
struct server_name;
struct err;
struct expr;
struct lb_node;
struct proxy;
struct server_event;
struct tls_client;

/* How many kinds of parts there may be (proxy/part.h), and one more. */
enum { SERVER_SETTINGS_PLACES = 4, SERVER_PARTS_PLACES = 4 };

/* What the traffic shows of a server, for "observe": each connection that was tried, each
 * response in mode http. */
enum observed {
	OBSERVED_CONNECTED,     /* layer 4 */
	OBSERVED_NOT_CONNECTED,
	OBSERVED_GOOD_RESPONSE, /* layer 7: a final response with a status from 100 to 499, 501,
				 * 505 */
	OBSERVED_WRONG_STATUS,  /* any other status: observed_status tells which of the two */
	OBSERVED_BAD_RESPONSE,  /* a head that cannot be parsed, or is refused */
	OBSERVED_TIMEOUT,       /* no complete head within timeout server */
	OBSERVED_CLOSED,        /* the connection ended before a complete head */
	OBSERVED_BROKEN,        /* the connection broke before a complete head */
};

static inline enum observed observed_status(unsigned status)
{
	return (status >= 100 && status < 500) || status == 501 || status == 505 ?
		       OBSERVED_GOOD_RESPONSE : OBSERVED_WRONG_STATUS;
}

/* What a PROXY header of version 2 tells besides the addresses: proxy-v2-options. */
enum { PROXY_V2_SSL = 1 << 0, PROXY_V2_CERT_CN = 1 << 1, PROXY_V2_SSL_CIPHER = 1 << 2,
       PROXY_V2_CERT_SIG = 1 << 3, PROXY_V2_CERT_KEY = 1 << 4, PROXY_V2_AUTHORITY = 1 << 5,
       PROXY_V2_CRC32C = 1 << 6, PROXY_V2_UNIQUE_ID = 1 << 7,
       PROXY_V2_OF_SSL = PROXY_V2_SSL | PROXY_V2_CERT_CN | PROXY_V2_SSL_CIPHER |
			 PROXY_V2_CERT_SIG | PROXY_V2_CERT_KEY };

/* set-proxy-v2-tlv-fmt: further vectors of that header, each written by a format. */
struct logformat;
struct server_vector {
	uint8_t type;
	struct logformat *format;
};

enum { SRV_BACKUP = 1 << 0, SRV_CHECK = 1 << 1, SRV_DISABLED = 1 << 2,
       SRV_SEND_PROXY = 1 << 3, SRV_CHECK_SEND_PROXY = 1 << 4, SRV_TFO = 1 << 5,
       SRV_DOWN_SHUTDOWN_SESSIONS = 1 << 6, SRV_UP_SHUTDOWN_BACKUP = 1 << 7,
       SRV_CHECK_ADDR = 1 << 8, SRV_CHECK_PORT = 1 << 9, SRV_AGENT_CHECK = 1 << 10,
       SRV_AGENT_ADDR = 1 << 11, SRV_SEND_PROXY_V2 = 1 << 12, SRV_CHECK_SOCKS4 = 1 << 13,
       SRV_CHECK_SSL = 1 << 14, SRV_NO_CHECK_SSL = 1 << 15, SRV_NON_STICK = 1 << 16,
       SRV_STRICT = 1 << 17 };

/* Where connections to servers come from: "source" of server and backend. */
struct source_conf {
	bool set;
	struct addr addr;          /* AF_UNSPEC: any */
	uint16_t last_port;        /* addr.port-last_port: explicit range */
	enum { USESRC_NONE, USESRC_ADDR, USESRC_CLIENT, USESRC_CLIENTIP, USESRC_HDR } usesrc;
	struct addr usesrc_addr;   /* USESRC_ADDR */
	const char *usesrc_text;   /* USESRC_HDR: as written, "hdr_ip(...)"; compiled by stream/ */
	struct expr *usesrc_expr;
	const char *interface;     /* SO_BINDTODEVICE */
};

/* As what a server with checks enters service: "init-state". */
enum init_state { INIT_STATE_NONE, INIT_STATE_FULLY_UP, INIT_STATE_UP, INIT_STATE_DOWN,
		  INIT_STATE_FULLY_DOWN };

/* What the places of a server on the ring of a consistent hash come from: "hash-key". */
enum hash_key { HASH_KEY_ID, HASH_KEY_ID32, HASH_KEY_GUID, HASH_KEY_ADDR, HASH_KEY_ADDR_PORT };

/* How a name gets its address at the start, in this order. */
enum init_addr { INIT_ADDR_END, INIT_ADDR_LAST, INIT_ADDR_LIBC, INIT_ADDR_NONE, INIT_ADDR_IP };

/* What default-server can give and a server line can change. Zero is never "given": rows
 * with another default set it in server_settings_init. */
struct server_settings {
	struct options options;      /* SRV_* */
	int weight;                  /* 0..256, default 1 */
	unsigned maxconn, minconn, maxqueue; /* 0: no limit */
	unsigned slowstart;          /* ms */
	unsigned inter, fastinter, downinter; /* ms; 0: as inter */
	int rise, fall;              /* 2, 3 */
	int init_state;              /* enum init_state */
	int hash_key;                /* enum hash_key */
	struct source_conf source;
	unsigned tcp_ut;             /* ms */
	const char *namespace;
	int pool_max_conn;           /* idle connections that are kept; -1: no limit */
	int pool_low_conn;
	unsigned pool_purge_delay;   /* ms, default 5000 */
	int max_reuse;               /* requests behind the first on a connection; -1: no limit */
	struct addr socks4;          /* the proxy on the way to it; AF_UNSPEC: none */
	unsigned proxy_v2;           /* PROXY_V2_* */
	unsigned vector_count;
	const struct server_vector *vectors;
	const char *cookie;          /* value that stands for it; NULL: none */
	const char *redir;           /* clients are sent to this prefix; NULL: not */
	const char *track;           /* "backend/server" or "server" */
	struct tls_settings tls;     /* TLS towards it; ssl-default-server-* are not in it */
	const char *crt;             /* our certificate, full path; NULL: none */
	const char *verifyhost;      /* the name its certificate must be for; NULL: any */
	struct expr *sni;            /* the name to ask it for: stream/; NULL: none */
	enum proto proto;            /* PROTO_UNSET: not given */
	enum proto ws;               /* PROTO_UNSET: auto */
	uint8_t init_addr[4];        /* enum init_addr */
	struct addr init_ip;         /* INIT_ADDR_IP */
	const char *resolvers;       /* section that its name is asked by while serving; NULL: none */
	int resolve_prefer;          /* enum resolve_prefer */
	unsigned resolve_opts;       /* RESOLVE_* */
	unsigned resolve_net_count;
	const struct resolve_net *resolve_nets; /* whose addresses come first */
	void *parts[SERVER_SETTINGS_PLACES];    /* of modules: proxy/part.h */
};

enum resolve_prefer { PREFER_IPV6, PREFER_IPV4 };
enum { RESOLVE_ALLOW_DUP_IP = 1 << 0, RESOLVE_IGNORE_WEIGHT = 1 << 1 };
struct resolve_net {
	struct addr addr;
	unsigned bits; /* of its prefix */
};

/* What carries exchanges over connections to a server (exchange/server_conn.h): one for each
 * protocol; whichever ALPN has agreed upon; the usual one, for one exchange alone. */
#define CARRIER_OF(proto) ((proto) - PROTO_USUAL)
enum { CARRIER_USUAL, CARRIER_BY_ALPN = CARRIER_OF(PROTO_COUNT), CARRIER_ONCE, SERVER_CARRIERS };

enum { WEIGHT_MOST = 256 };
enum { FINE_WEIGHT = 16 }; /* fine_weight of a weight of 1 */

/* Why a server is out of use; in state->admin. */
enum { ADMIN_FORCED_MAINT = 1 << 0, /* disabled on the line or by "set server" */
       ADMIN_INHERITED_MAINT = 1 << 1, /* a tracked server is in maintenance */
       ADMIN_FORCED_DRAIN = 1 << 2, ADMIN_INHERITED_DRAIN = 1 << 3,
       ADMIN_RESOLUTION = 1 << 4,   /* its name has no address */
       ADMIN_EJECTED = 1 << 5,      /* it does worse than the others: check/eject.c */
       ADMIN_REMOVED = 1 << 6,      /* deleted, but rules of this process name it: for good */
       ADMIN_MAINT = ADMIN_REMOVED | ADMIN_FORCED_MAINT | ADMIN_INHERITED_MAINT | ADMIN_RESOLUTION,
       ADMIN_DRAIN = ADMIN_FORCED_DRAIN | ADMIN_INHERITED_DRAIN,
       /* What an administrator takes back who sets it ready. */
       ADMIN_NOT_READY = ADMIN_FORCED_MAINT | ADMIN_FORCED_DRAIN | ADMIN_EJECTED };

/* Operational state as checks see it. */
enum server_op { SERVER_DOWN, SERVER_STARTING /* slowstart */, SERVER_UP, SERVER_STOPPING };

/* Result of the last check; printed as NAME of the management guide (check_status). */
enum check_status { CHECK_UNKNOWN, CHECK_INIT, CHECK_SOCKERR, CHECK_L4OK, CHECK_L4TOUT,
		    CHECK_L4CON, CHECK_L6OK, CHECK_L6TOUT, CHECK_L6RSP, CHECK_L7OK, CHECK_L7OKC,
		    CHECK_L7TOUT, CHECK_L7RSP, CHECK_L7STS, CHECK_HANA /* observed traffic */,
		    CHECK_CHECKED /* an agent that said nothing of the state */,
		    CHECK_PROCERR, CHECK_PROCTOUT, CHECK_PROCOK /* external-check */ };

/* Whose errno check.error is. */
enum check_cause { CAUSE_CONNECTION, CAUSE_SOCKET, CAUSE_SOURCE };

enum { CHECK_SAID_SIZE = 128 };

/* The last result of health checks, or of the agent's. Numbers, and text that was received. */
struct check_state {
	uint8_t status;         /* enum check_status */
	uint8_t cause;          /* enum check_cause; HANA: enum observed */
	bool running;           /* one is under way */
	bool paused;            /* "disable health", "disable agent" */
	uint16_t error;         /* L4CON, SOCKERR: errno; HANA: number of errors; else 0 */
	int code;               /* answer's code: statuses of layer 7 that have one */
	unsigned duration_ms;
	struct addr addr;       /* in force; AF_UNSPEC: the server's, or the checks' of an agent */
	uint16_t port;          /* in force; 0: that of the server's address */
	char said[CHECK_SAID_SIZE]; /* what was found, for people; empty: error says it */
};

/* Its value of a dynamic cookie, as it was made last: of which key and address. */
struct server_value {
	const char *key;         /* NULL: of none yet */
	struct addr addr;
	char text[16];
};

/* What this process knows of it: the same in all processes, by the log of changes. Written by
 * proxy/, check/ and the stats socket. */
struct server_state {
	unsigned user_weight;   /* 0..256, as set last */
	unsigned effective_weight; /* scaled by slowstart; 0: gets no new sessions */
	unsigned fine_weight;   /* the same in sixteenths: for balancing */
	unsigned maxconn;       /* in force */
	uint8_t op;             /* enum server_op */
	uint8_t admin;          /* ADMIN_* */
	int health;             /* 0 .. rise+fall-1; at least rise: up */
	unsigned consecutive_errors; /* observe */
	uint64_t changed_ms;    /* of the last transition */
	uint64_t warm_ms;       /* SERVER_STARTING: when the ramp began */
	uint64_t eject_until_ms; /* ejected: when it comes back; else when the last one ended */
	unsigned ejections;     /* in a row */
	uint64_t downtime_ms;   /* sum of finished down times */
	unsigned down_transitions;
	struct check_state check, agent;
	bool agent_down;        /* the agent has said so last */
	struct addr addr;       /* in force (set server addr); port 0 with port_follows */
	bool port_follows;      /* its port is the client's plus port_offset ... */
	uint16_t port_offset;   /* ... modulo 65536 */
	struct server_value value;  /* exchange/persist.c */
	char *hostname;         /* of "set server fqdn" or of a service; NULL: as configured */
};

struct server {
	struct server *next;     /* in its proxy, in the order of the file */
	struct proxy *proxy;
	const char *id;          /* its name */
	int puid;                /* numeric id */
	unsigned order;          /* grows along the list: for who goes through it piece by piece */
	bool forced_id;          /* it was given by "id" */
	const char *guid;        /* proxy/guid.h; NULL: it has none */
	bool refused;            /* its line was wrong: it stands for its name alone */
	bool pointed_at;         /* rules name it: it cannot be removed */
	struct location loc;
	struct server_settings set;
	const struct tls_settings *tls_defaults; /* ssl-default-server-* above its line; NULL:
						  * none */
	struct addr_spec spec;   /* as configured */
	struct resolvers *resolvers; /* whom its name is asked of while serving; NULL: nobody */
	bool is_service;         /* spec.hostname is one of services (SRV): hosts are behind it */
	struct server_name *name; /* names.c: in the process that asks; NULL: it does not */
	struct server *tracked;  /* track */
	struct server_state *state;
	struct server_tally *tally;
	unsigned slot;           /* of its tally */
	struct list streams;     /* of this process, on it: for shutdown sessions */
	struct list queue;       /* struct queue_entry: waiting for this very server */
	uint64_t queue_served;   /* how many of them got their slot */
	struct list idle;        /* connections with room for an exchange, newest first: exchange/ */
	unsigned idle_count, idle_used; /* there; in use, and everybody's behind it */
	unsigned idle_safe;      /* of idle_count: have carried more than one request */
	unsigned idle_need;      /* most in use since the last purge */
	unsigned
		idle_slots; /* of idle_count: hold a slot; "strict-maxconn", else 0: queue/slot.h */
	unsigned moves;          /* how often its address has changed: server_moved */
	struct timer idle_timer; /* purge */
	uint8_t carrier;         /* CARRIER_*: of new connections, ... */
	uint8_t ws;              /* enum proto: ... but for WebSocket, which goes over connections of
				  * its own, in that; PROTO_UNSET: as everything else */
	bool particular;         /* which connection is used again depends on more than the address: TLS,
				  * ws */
	uint8_t learns; /* proxy/learn.h: what its traffic shows that somebody learns from */
	bool speaks_unasked;     /* it has sent a body where there is none: nothing of it is
				  * shared */
	struct lb_node *lb;      /* lb/: its place in the balancing structure */
	struct tls_client *tls;  /* tls/client.h; NULL: connections to it are plain */
	struct span check_alpn_usual; /* what checks offer instead that speak the usual protocol alone;
				       * empty: the same */
	struct tls_client *check_tls; /* for its checks, if they want TLS: the same, if that is
				       * there */
	struct tls_client *tls_switch; /* what "set server ssl on" makes tls; NULL: it cannot */
	uint64_t tls_told_ms;    /* when the log was told last of a handshake that failed; 0:
				  * never */
	unsigned tls_untold;     /* how many have failed since */
	struct list trackers, tracker_node;
	/* Of those that come and go: proxy/server_add.c. */
	struct arena *arena;     /* all of it lies there; NULL: it is of the configuration */
	bool added;              /* by a command, perhaps before a reload */
	bool kept_number;        /* that of before the reload, which its words do not say */
	const char *line;        /* the words that it was added with, NULs between them; ... */
	size_t line_len;         /* ... their length */
	uint32_t serial;         /* how many were added before it; 0: none, it was not */
	uint8_t from_words;      /* behind its address: "from ..." was read already */
	struct given_name *given; /* server_add.c: two places for names of commands; NULL: none */
	struct list left;        /* among those that have left and are not freed yet */
	bool in_use;             /* found in use since */
	unsigned left_row;       /* the process that it has left */
	unsigned conns;          /* of this process, that exchanges have used */
	uint16_t next_source_port;
	struct timer warm_up;    /* slowstart: next step of the ramp */
	/* Parts of modules: proxy/part.h. */
	uint32_t own_settings, own_parts; /* a bit for each that is not inherited */
	void *parts[SERVER_PARTS_PLACES];
};

/* Is it up? It may have no weight, so that balancing passes it over: whom a rule, a cookie or the
 * session names may be served by it all the same. */
static inline bool server_reachable(const struct server *s)
{
	return s->state->op != SERVER_DOWN && !(s->state->admin & ADMIN_MAINT);
}

/* May it get a new session from balancing? */
static inline bool server_usable(const struct server *s)
{
	const struct server_state *state = s->state;

	return (state->op == SERVER_UP || state->op == SERVER_STARTING) &&
	       !(state->admin & (ADMIN_MAINT | ADMIN_DRAIN | ADMIN_EJECTED)) &&
	       state->effective_weight > 0;
}

/* From now on new connections go to this port; follows: to the client's plus port. The caller calls
 * server_moved. */
void server_set_port(struct server *s, bool follows, uint16_t port);

/* Transitions. Each does what follows for trackers, waiting streams and the backend, writes the
 * log lines of the reference, and calls the hooks. Ignored in maintenance, and when nothing
 * changes. reason: what the log says behind "is DOWN, ", such as "changed from CLI" or
 * "reason: Layer4 timeout, check duration: 2001ms"; NULL: nothing. */
void server_set_up(struct server *s, const char *reason);
void server_set_down(struct server *s, const char *reason);
void server_set_stopping(struct server *s, const char *reason);
/* The same of any kind (SERVER_UP, SERVER_DOWN, SERVER_STOPPING), for what a check has found:
 * state. */
void server_set_found(struct server *s, enum server_op op, const char *reason,
		      const struct check_state *state);
/* The health of one that enters service, by "init-state"; below set.rise: it is down. */
int server_first_health(const struct server *s);
/* Where its agent is asked: "agent-port", else "port" of the checks. 0: neither is there. */
int server_agent_port(const struct server *s);
/* "agent-addr", else "addr" of the checks. */
const struct addr *server_where_agent(const struct server *s);
/* It stands in its backend now, and may be usable from the first moment on: whoever waits there
 * gets it. */
void server_has_come(struct server *s);
/* "set server ssl": new connections speak TLS, or not. Needs tls_switch. */
void server_switch_tls(struct server *s, bool on);
/* Sets and clears ADMIN_* bits. Those of servers that track it follow. */
void server_set_admin(struct server *s, unsigned set, unsigned clear);
/* ADMIN_EJECTED, with what the log says behind "is ejected ". */
void server_eject(struct server *s, const char *reason);
/* Its name has no address: ADMIN_RESOLUTION, with what the log says in brackets. */
void server_set_unresolved(struct server *s, const char *reason);
/* The host whose address it has, or is to have; NULL: it has no name, or a service has none for it.
 */
static inline const char *server_hostname(const struct server *s)
{
	return s->state->hostname ? s->state->hostname : s->is_service ? NULL : s->spec.hostname;
}
/* A weight as "set weight" takes it: "50" or "50%" of the configured one (at most WEIGHT_MOST).
 * Changes nothing. 0, or -1 and err. */
int server_read_weight(const struct server *s, const char *text, unsigned *weight, struct err *err);
void server_take_weight(struct server *s, unsigned weight);
/* How many sessions it takes at once, from now on; 0: any number. */
void server_take_maxconn(struct server *s, unsigned maxconn);
/* Slowstart and user weight into effective weight; calls the hook when it changed. Called
 * after a change of state->user_weight. */
void server_update_weight(struct server *s);
/* value, as much of it as the ramp of slowstart allows; at least 1 unless it is 0. */
unsigned server_ramped(const struct server *s, unsigned value);
/* Starts the ramp of slowstart: server_change.c alone. */
void server_warm_up(struct server *s);
/* The ramp has ended: server_weight.c alone. */
void server_warmed_up(struct server *s);
/* Text for show stat: "UP", "DOWN", "MAINT", "DRAIN", "UP 1/3", "no check", "NOLB", ... */
const char *server_status_text(const struct server *s, char *buf, size_t size);

/* Something else than its line wants to speak TLS with the server (a rule of its checks): makes
 * server->check_tls if it is not there. 0, or -1 after a report. NULL: this build has no TLS. */
extern int (*server_need_tls)(struct config *cfg, struct server *s);

enum { SERVER_CHANGED_ADMIN = 1 << 0, SERVER_CHANGED_OP = 1 << 1 };

/* Installed by upper layers; each may be NULL. */
struct server_hooks {
	void (*lb_changed)(struct server *s);      /* usable, weight or address changed: lb/ */
	void (*load_changed)(struct server *s);    /* its queue changed: lb/ */
	void (*admin_changed)(struct server *s);   /* state->admin changed: check/ */
	void (*went_down)(struct server *s);       /* stream/: on-marked-down */
	void (*came_up)(struct server *s);         /* stream/: backup sessions */
	unsigned (*has_room)(struct server *s);    /* queue/: it may have; returns how many it got */
	unsigned (*takes_none)(struct server *s);  /* queue/: who waits for it looks elsewhere; how many */
	void (*make_room)(struct server *s);       /* exchange/: close a connection that is kept */
	void (*moved)(struct server *s);           /* exchange/: close all of them */
	/* lua/: a transition was carried out, and its lines are in the log. what: SERVER_CHANGED_* */
	void (*changed)(const struct server_event *ev, unsigned what);
	/* lua/: a check has changed its result, or the health, which is that of before the
	 * transition that may follow. */
	void (*checked)(struct server *s, const struct check_state *state);
	/* check/: the traffic has shown something. To be told where the server has "observe";
	 * what the layer observed does not ask for is ignored. */
	void (*observed)(struct server *s, enum observed what);
};
extern struct server_hooks server_hooks;

/* It came up, or may have more sessions: who waits is served. Returns how many were. */
static inline unsigned server_has_room(struct server *s)
{
	return server_hooks.has_room ? server_hooks.has_room(s) : 0;
}

/* It is down, or gone: who waits for it is sent on. Returns how many were. */
static inline unsigned server_takes_none(struct server *s)
{
	return server_hooks.takes_none ? server_hooks.takes_none(s) : 0;
}

/* state->addr is another one now. */
static inline void server_moved(struct server *s)
{
	s->moves++;
	if (server_hooks.moved)
		server_hooks.moved(s);
	if (server_hooks.lb_changed)
		server_hooks.lb_changed(s);
}

#endif
