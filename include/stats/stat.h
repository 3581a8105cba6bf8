/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of "show stat": one for each frontend, listener, server and backend. */
#ifndef STATS_STAT_H
#define STATS_STAT_H

#include "stats/value.h"

struct bind_conf;
struct listener;
struct proxy;
struct server;

enum stat_field {
#define FIELD(name, tags, help) STAT_##name,
#include "stats/stat_fields.def"
#undef FIELD
	STAT_FIELDS
};

extern const struct stats_field stat_fields[STAT_FIELDS];

/* The value of field "type"; 1 << type is its bit in filters. */
enum stat_type { STAT_FRONTEND, STAT_BACKEND, STAT_SERVER, STAT_LISTENER, STAT_TYPES };

struct stat_row {
	enum stat_type kind;
	int proxy_id, id; /* iid and sid */
	/* Whose it is; only until something else has run. server: STAT_SERVER alone. */
	const struct proxy *proxy;
	const struct server *server;
	uint64_t spliced; /* of bin and bout: for show-modules */
	struct stats_value values[STAT_FIELDS];
	struct stats_strings strings;
};

enum { STAT_LEGENDS = 1 << 0,  /* addresses, cookies, algorithm: for operators */
       STAT_UP = 1 << 1,       /* no servers that are down or in maintenance */
       STAT_NO_MAINT = 1 << 2, /* no servers in maintenance */
};

/* What to show, and how far it has come. The place is kept in numbers; pointers only save the
 * way there as long as nothing else has run: call stat_scan_resume when something has. */
struct stat_scan {
	unsigned options;    /* STAT_* */
	int iid, types, sid; /* -1: all; types: 1 << enum stat_type or'ed */
	/* Only proxies that it likes; NULL: all. */
	bool (*wants)(const void *arg, const struct proxy *px);
	const void *arg;
	unsigned left;       /* struct proxy.order of the last one that was walked through */
	unsigned proxy;      /* the same of the one it is in */
	enum { STAT_AT_FRONTEND, STAT_AT_LISTENERS, STAT_AT_SERVERS, STAT_AT_BACKEND } at;
	unsigned object;     /* place of the listener or server in its list */
	const struct proxy *here;    /* the proxy there, or NULL: to be looked for */
	const struct server *server; /* the same of the server */
};

void stat_scan_init(struct stat_scan *scan);
/* Objects may have come and gone since the last stat_next. */
void stat_scan_resume(struct stat_scan *scan);
/* Fills in the next row that the scan wants; false: there is none. */
bool stat_next(struct stat_scan *scan, struct stat_row *row);

/* One row each; options: STAT_*. */
void stat_fill_frontend(struct stat_row *row, const struct proxy *px, unsigned options);
void stat_fill_listener(struct stat_row *row, const struct listener *l, unsigned options);
void stat_fill_server(struct stat_row *row, const struct server *s, unsigned options);
void stat_fill_backend(struct stat_row *row, const struct proxy *px, unsigned options);

/* Letters and names of the kinds in typed and JSON output. */
char stat_letter(enum stat_type kind);
const char *stat_kind_name(enum stat_type kind);

/* "L4OK" of enum check_status. */
const char *check_status_name(unsigned status);

#endif
