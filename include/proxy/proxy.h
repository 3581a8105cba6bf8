/* SPDX-License-Identifier: BSD-2-Clause */
/* A proxy: a frontend, a backend, or both (listen). Settings come from the configuration and
 * do not change; the state is a struct of its own, of numbers. */
#ifndef PROXY_PROXY_H
#define PROXY_PROXY_H

#include "base/catalog.h"
#include "base/kind.h"
#include "base/list.h"
#include "base/str.h"
#include "config/config.h"
#include "config/module.h"
#include "net/addr.h"
#include "proxy/server.h"
#include "proxy/timeouts.h"
#include "tally/tallies.h"

struct acl_set;
struct arena;
struct captures;
struct filter_line;
struct end;
struct listener;
struct balance;
struct balance_by;
struct expr;
struct log_conf;
struct logformat;
struct global_state;
struct rule_set;
struct segment;
struct stick_line;
struct switch_rule;

/* How many kinds of parts there may be (proxy/part.h), and one more. */
enum { PROXY_SETTINGS_PLACES = 16, PROXY_PARTS_PLACES = 12 };
enum { PROXY_FRONTEND = 1, PROXY_BACKEND = 2, PROXY_DEFAULTS = 4 };
enum proxy_mode { MODE_TCP, MODE_HTTP,
		  MODE_UDP /* of udp-lb sections: there is no word for it */ };

/* Bits of settings.options. */
enum {
	OPT_REDISPATCH = 1 << 0, OPT_ALLBACKUPS = 1 << 1, OPT_ABORTONCLOSE = 1 << 2,
	OPT_CONTSTATS = 1 << 3, OPT_NOLINGER = 1 << 4, OPT_CLITCPKA = 1 << 5,
	OPT_SRVTCPKA = 1 << 6, OPT_SMART_ACCEPT = 1 << 7, OPT_SMART_CONNECT = 1 << 8,
	OPT_DONTLOGNULL = 1 << 9, OPT_LOG_HEALTH_CHECKS = 1 << 10,
	OPT_LOGASAP = 1 << 12, OPT_LOG_SEPARATE_ERRORS = 1 << 13, OPT_SPLICE_REQUEST = 1 << 14,
	OPT_SPLICE_RESPONSE = 1 << 15, OPT_SPLICE_AUTO = 1 << 16, OPT_DONTLOG_NORMAL = 1 << 17,
	OPT_INDEPENDENT = 1 << 19, OPT_SOCKET_STATS = 1 << 20,
	/* How connections are kept in mode http: at most one of the three. */
	OPT_KEEP_ALIVE = 1 << 21, OPT_SERVER_CLOSE = 1 << 22, OPT_HTTP_CLOSE = 1 << 23,
	OPT_NO_DELAY = 1 << 24, OPT_PRETEND_KEEPALIVE = 1 << 25, OPT_BUFFER_REQUEST = 1 << 26,
	OPT_IGNORE_PROBES = 1 << 27, OPT_IDLE_CLOSE = 1 << 28, OPT_PREFER_LAST = 1 << 29,
	OPT_ACCEPT_BAD_REQUEST = 1 << 30, OPT_ACCEPT_BAD_RESPONSE = 1 << 18,
	OPT_ADJUST_CLIENT = 1LL << 31, OPT_ADJUST_SERVER = 1LL << 32, OPT_PERSIST = 1LL << 33,
	OPT_PROXY_HEADER = 1LL << 34, OPT_CHECKCACHE = 1LL << 40, OPT_NO_H2_UPGRADE = 1LL << 41,
	OPT_NO_REQUEST_TRAILERS = 1LL << 42, OPT_NO_RESPONSE_TRAILERS = 1LL << 43,
	OPT_TRANSPARENT = 1LL << 44, OPT_KERNEL_RELAY = 1LL << 45,
	OPT_KERNEL_RELAY_AUTO = 1LL << 46,
	OPT_KERNEL_RELAYS = OPT_KERNEL_RELAY | OPT_KERNEL_RELAY_AUTO,
};

enum balance_algo { BALANCE_ROUNDROBIN, BALANCE_STATIC_RR, BALANCE_LEASTCONN, BALANCE_FIRST,
		    BALANCE_SOURCE, BALANCE_RANDOM, BALANCE_PEAK_EWMA,
		    /* By a key of the request: settings.balance_key. */
		    BALANCE_URI, BALANCE_URL_PARAM, BALANCE_HDR, BALANCE_RDP_COOKIE, BALANCE_HASH };
/* Is the server chosen by something of the session, and so the same one again? */
static inline bool balance_is_hash(int balance)
{
	return balance == BALANCE_SOURCE || balance >= BALANCE_URI;
}

enum hash_method { HASH_MAP_BASED, HASH_CONSISTENT };
enum hash_function { HASH_SDBM, HASH_DJB2, HASH_WT6, HASH_CRC32 };

/* hash-preserve-affinity: where a hashed server is full, who has the session? ALWAYS: it, all the
 * same. */
enum hash_affinity { HASH_AFFINITY_ALWAYS, HASH_AFFINITY_MAXCONN, HASH_AFFINITY_MAXQUEUE };

enum load_state { LOAD_STATE_NONE, LOAD_STATE_GLOBAL, LOAD_STATE_LOCAL };

/* http-reuse: whose idle connections to servers a request may take. */
/* option http-restrict-req-hdr-names */
enum name_policy { NAMES_PRESERVE, NAMES_DELETE, NAMES_REJECT };
enum http_reuse { REUSE_SAFE, REUSE_NEVER, REUSE_AGGRESSIVE, REUSE_ALWAYS };
/* retry-on; the statuses follow RETRY_STATUS in the order of the manual. */
enum { RETRY_CONN_FAILURE = 1 << 0, RETRY_EMPTY = 1 << 1, RETRY_JUNK = 1 << 2,
       RETRY_TIMEOUT = 1 << 3, RETRY_0RTT = 1 << 4,
       RETRY_UNPROCESSED = 1 << 30, /* of any server: its protocol has words for that */
       RETRY_STATUS = 1 << 5 };

/* retry-budget: how many of a backend's requests may be retries at once. */
struct retry_budget {
	bool given;
	unsigned percent;          /* of those that it has */
	unsigned least;            /* so many in any case */
};

/* What a defaults section hands on; copied as a whole. */
struct proxy_settings {
	int mode;                  /* enum proxy_mode */
	bool mode_given;           /* by a word, not by default */
	struct options options;
	struct timeouts timeout;
	unsigned maxconn;          /* frontend; 0: the default (global) */
	unsigned fullconn;         /* backend; 0: 10 % of the frontends' that may use it,
				    * computed into proxy.fullconn */
	unsigned rate_limit;       /* sessions a second; 0: none */
	int backlog;               /* 0: maxconn */
	int retries;               /* default 3 */
	int redispatch_interval;   /* default -1 */
	unsigned retry_on;         /* RETRY_*; default RETRY_CONN_FAILURE */
	struct retry_budget budget; /* proxy/budget.h */
	int http_reuse;            /* enum http_reuse */
	int restrict_names;        /* enum name_policy */
	int max_keep_alive_queue;  /* default -1: no limit */
	int max_session_conns;     /* private ones, of a client of the frontend; default 5 */
	int balance;               /* enum balance_algo */
	bool balance_given;        /* by a word, not by default */
	int balance_draws;         /* random(draws), default 2 */
	unsigned balance_decay;    /* peak-ewma decay <time>, ms: half-life */
	struct location balance_loc; /* of its line */
	const struct balance_by *balance_by; /* lb/balance.h: of the algorithms by a key */
	int hash_method, hash_function;
	bool hash_avalanche;
	unsigned hash_balance_factor; /* 0: off */
	int hash_affinity;         /* enum hash_affinity */
	struct source_conf source;
	int load_state;            /* enum load_state: of servers, at the start */
	const char *default_backend;
	struct location default_backend_loc;
	struct server_settings server; /* default-server */
	struct log_conf *log;          /* log/: targets, tag; never changed once shared */
	struct logformat *logformat;   /* expr/: NULL: none given */
	struct logformat *logformat_sd; /* structured data of rfc5424 targets */
	struct logformat *logformat_error; /* error-log-format; NULL: none given */
	unsigned log_steps;          /* 1 << enum log_step; 0: one line, once all is known */
	struct logformat *unique_id;   /* unique-id-format, for %ID */
	bool disabled;
	int keep_added;                /* added-servers: 1: they live over a reload */
	unsigned inspect_delay_req, inspect_delay_res; /* ms; not inherited */
	/* keep-alive of the two sides: 0: the system's */
	int clitcpka_cnt, srvtcpka_cnt;
	unsigned clitcpka_idle, clitcpka_intvl, srvtcpka_idle, srvtcpka_intvl; /* ms */
	void *parts[PROXY_SETTINGS_PLACES]; /* of modules: proxy/part.h */
};

/* Is an acknowledgement saved: OPT_SMART_ACCEPT, OPT_SMART_CONNECT? In mode http it is unless
 * "no option" says otherwise: data come first, from the client. */
static inline bool proxy_spares_ack(const struct proxy_settings *set, uint64_t bit)
{
	return set->options.on & bit || (set->mode == MODE_HTTP && !(set->options.given & bit));
}

/* What this process knows of it: the same in all processes, by the log of changes. */
struct proxy_state {
	unsigned maxconn;       /* frontend: in force */
	unsigned rate_limit;    /* frontend: in force */
	uint64_t changed_ms;    /* backend: last transition between up and down */
	uint64_t downtime_ms;
	unsigned down_transitions;
	bool unpublished;       /* backend: use_backend and default_backend pass over it */
};

struct proxy {
	struct list node;        /* struct proxies: in the order of the file */
	unsigned order;          /* grows along the list; never 0 there */
	const char *name;
	unsigned caps;           /* PROXY_FRONTEND | PROXY_BACKEND */
	int uuid;                /* "id", or numbered */
	bool forced_id;          /* it was given by "id" */
	const char *guid;        /* proxy/guid.h; NULL: it has none */
	unsigned char heirs;     /* of a defaults section with rules: caps of those that use them */
	struct location loc;
	struct proxy *defaults;  /* section that it was copied from; NULL: none */
	struct proxy_settings set;
	struct list binds;       /* struct bind_conf: net/listener.h */
	struct server *servers, **servers_tail;
	unsigned server_count, last_order; /* struct server.order */
	/* Where those go whom no cookie or rule sends to one of the servers: dispatch, option
	 * transparent. A server without a name, in no list. NULL: balancing chooses for them. */
	struct server *dispatch;
	struct proxy *default_backend; /* resolved */
	struct acl_set *acls;          /* expr/ */
	struct captures *captures;     /* expr/capture.h; NULL: none */
	bool upgrades;                 /* mode tcp, but its streams may become HTTP */
	bool keeps_uri;                /* somebody asks for the target behind the request */
	unsigned log_at;               /* 1 << enum log_step: where lines may be due */
	const struct log_profile *const *log_profiles; /* of its log targets, NULL for those that
							* have none; NULL: no target has one */
	unsigned log_profile_count;
	struct rule_set *connection_rules, *session_rules, *request_rules, *response_rules;
	struct rule_set *http_request_rules, *http_response_rules, *http_after_rules;
	struct rule_set *redirect_rules;
	struct list switch_rules;      /* use_backend: expr/ */
	struct force_rule *force_rules; /* force-be-switch: expr/switch.c */
	bool has_switch_rules;         /* set at finish */
	bool switch_looks;             /* one of them looks at the bytes of the client; the same */
	bool switch_anywhere;          /* one of them makes names at run time; the same */
	uint32_t steps_front, steps_back; /* the same: enum stream_trait of stream/steps.h */
	struct list *use_server_rules; /* use-server: expr/; NULL: none */
	bool peers;                    /* the hidden proxy of a section "peers" */
	bool stats_socket;             /* hidden: the frontend of the stats sockets, and those of
					* the program's own requests: they hold nobody up */
	/* Answers its streams inside the program instead of a server: makes end the applet.
	 * 0, or -1: out of memory. NULL: they go to a backend. */
	int (*applet)(struct end *end, const struct listener *l);
	struct proxy_tally *fe, *be;   /* NULL when it has not that side */
	unsigned fe_slot, be_slot;
	/* proxy/backend_add.h. arena: its own, of one that a command has added; else NULL. */
	struct arena *arena;
	uint32_t serial;               /* how many were added with it; 0: of the configuration */
	unsigned left_row;             /* of the process that it has left in */
	bool added, in_use, was_idle;
	bool starts_unpublished;
	bool named;                    /* backend: by a rule or a fetch of the configuration */
	struct location named_at;      /* there */
	struct proxy_state *state;
	struct list streams;           /* of this process, whose backend it is */
	struct list queue;             /* struct queue_entry: waiting for any server */
	uint64_t queue_ticket;         /* of the next to join it or a server's */
	uint64_t queue_served;         /* how many of its own queue got a slot */
	bool queue_look;               /* look for slots in the next turn */
	struct balance *balance;       /* lb/ */
	struct filter_line *filters;   /* filter/filter.h; NULL: none */
	bool stick_wrong;              /* its line 'stick-table' is wrong, which was said */
	struct stick_line *stick;      /* its table: proxy/stick_conf.h; NULL: none */
	bool strict;                   /* a server has "strict-maxconn" */
	const char *description;
	const char *state_file;        /* server-state-file-name; NULL: the backend's name */
	bool used_by_name, used_as_last; /* defaults: by proxies, with and without "from" */
	unsigned fullconn;             /* in force, from proxies_prepare on */
	struct list uppers;            /* frontends that may use this backend */
	unsigned usable, usable_backup; /* servers, kept by lb/ */
	/* FINISHES: the process does, and nobody has shut the frontend down; STOPPED: somebody
	 * has. */
	enum { PROXY_NEW, PROXY_READY, PROXY_PAUSED, PROXY_FINISHES, PROXY_STOPPED } run_state;
	/* Parts of modules: proxy/part.h. */
	uint32_t own_settings, own_parts; /* a bit for each that is not inherited */
	void *parts[PROXY_PARTS_PLACES];
	KIND_MEMBER
};

/* "tcp", "http", "udp" */
static inline const char *proxy_mode_name(const struct proxy *px)
{
	static const char *const names[] = { [MODE_TCP] = "tcp", [MODE_HTTP] = "http",
					     [MODE_UDP] = "udp" };

	return names[px->set.mode];
}

/* A section "udp-lb". */
static inline bool proxy_is_udp(const struct proxy *px)
{
	return px->set.mode == MODE_UDP;
}

/* Nobody is told of this one as a server. */
static inline bool server_is_dispatch(const struct server *s)
{
	return s && s == s->proxy->dispatch;
}

/* Behind which of its servers comes which (NULL: the first), dispatch behind all. NULL: no more. */
static inline struct server *proxy_destination(const struct proxy *px, const struct server *behind)
{
	struct server *next = behind ? behind->next : px->servers;

	return next || server_is_dispatch(behind) ? next : px->dispatch;
}

/* Do some of its streams carry HTTP, maybe? For the end of the configuration. */
static inline bool proxy_may_speak_http(const struct proxy *px)
{
	return px->set.mode == MODE_HTTP || px->upgrades ||
	       (px->defaults && px->defaults->upgrades);
}

/* Words of the global section that limit connections. */
struct global_conf {
	unsigned maxconn;       /* 0: as many as the descriptors allow; -n sets it, too */
	unsigned proxy_maxconn; /* of frontends without maxconn (-N); 0: maxconn */
	unsigned maxconn_rate, maxsess_rate; /* 0: none */
	unsigned max_tls, max_tls_rate;      /* maxsslconn, maxsslrate */
	unsigned max_comp_rate; /* maxcomprate: kB a second; 0: none */
	unsigned max_comp_cpu;  /* maxcompcpuusage: percent; 100: none */
	unsigned ulimit_n;      /* 0: as many as maxconn needs */
	unsigned fd_hard_limit; /* 0: none */
	bool strict_limits;
	bool ignore_resolution; /* -dr: servers without address start disabled */
	bool sets_mark;         /* a rule marks packets: SO_MARK */
	bool counts_calls;      /* something asks for cpu_calls */
	bool keeps_vectors;     /* something asks for what PROXY headers tell besides addresses */
};

/* All proxies of a generation: the data of the module. */
struct proxies {
	struct global_conf global;
	struct segment *segment;           /* of all tallies */
	struct global_state *global_state;
	struct global_tally *global_tally;
	struct list list;     /* struct proxy.node: frontends and backends */
	unsigned last_order;  /* struct proxy.order */
	struct catalog names; /* of those in the list */
	struct list defaults; /* named and unnamed defaults sections */
	struct proxy *current_defaults;
	struct list stats_frontends; /* hidden proxies such as the stats socket's */
	struct list peers;    /* hidden proxies of sections "peers", in use: lines bind and server */
	unsigned stats_place; /* where the first "stats socket" line stands among them, from 1; 0:
			       * nowhere */
};
extern const struct module proxy_module, server_module; /* in this order */

/* The bit of retry-on for a status; 0: it cannot be named there. */
unsigned retry_on_status(unsigned status);

/* Those of the running generation. */
extern struct proxies *proxies_running;
/* The module's start: takes the generation into service (proxies_running) and sets its
 * limits. Sockets are opened by stream/. */
int proxies_prepare(struct config *cfg, void *data, struct err *err);
/* Does any enabled frontend listen? */
bool proxies_have_listener(const struct proxies *all);
/* Enters a proxy with its name, which is kept: behind those that are there. */
void proxy_enter(struct proxies *all, struct arena *arena, struct proxy *px);
/* Takes it out again. */
void proxy_leave(struct proxies *all, struct proxy *px);
/* It may serve; a backend's fullconn is in force. Behind the maxconn of frontends. */
void proxy_ready(struct proxy *px);
/* Is the pointer one of a proxy that runs? It may be one that has gone. */
bool proxy_is_there(const struct proxy *px);
/* The first in the list behind that order; NULL: none. For who walks piece by piece. */
struct proxy *proxy_behind(unsigned order);
/* The configuration names this backend there: it cannot be deleted. */
void proxy_note_named(struct proxy *backend, const struct location *loc);
/* By name and capability (PROXY_FRONTEND or PROXY_BACKEND); "#N" finds by id. NULL: none. */
struct proxy *proxy_find(const struct proxies *all, const char *name, unsigned caps);
struct server *server_find(const struct proxy *px, const char *name);
/* "backend/server", as commands take it. NULL and err. */
struct server *server_find_path(const char *path, struct err *err);

#endif
