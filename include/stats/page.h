/* SPDX-License-Identifier: BSD-2-Clause */
/* The stats page: what the words "stats ..." say, and what a request asks for. The URI of a request
 * is the prefix of "stats uri" and options. A semicolon, question mark or ampersand stands in front
 * of each option: ;csv ;json ;typed ;json-schema ;up ;no-maint ;norefresh ;st=CODE and
 * scope=TEXT; of the page itself ;trouble and ;state=NAME. */
#ifndef STATS_PAGE_H
#define STATS_PAGE_H

#include "config/config.h"
#include "proxy/part.h"
#include "stats/stat.h"

struct arena;
struct cond;
struct proxy;
struct rule_set;

/* A user and password of "stats auth", "user:password" as in Basic credentials. */
struct stats_user {
	struct stats_user *next;
	const char *name, *credentials;
};

/* A name of "stats scope". */
struct stats_scope {
	struct stats_scope *next;
	const char *name; /* "." : the proxy that serves the page */
};

enum { PAGE_HIDE_VERSION = 1 << 0, PAGE_NODE = 1 << 1, PAGE_DESC = 1 << 2, PAGE_LEGENDS = 1 << 3,
       PAGE_MODULES = 1 << 4 };

/* A condition of "stats admin". */
struct stats_admin {
	struct stats_admin *next;
	struct cond *cond;
	struct location loc;
};

/* The words of one section. */
struct stats_page {
	const struct proxy *owner; /* the section */
	const char *uri;      /* prefix of paths and queries; at most PAGE_URI_MAX bytes */
	const char *realm;
	unsigned refresh_ms;  /* 0: none */
	unsigned flags;       /* PAGE_* */
	const char *node, *desc; /* NULL: those of the global section */
	struct stats_user *users;
	struct stats_scope *scopes;  /* NULL: everything is shown */
	struct stats_admin *admins;  /* "stats admin": conditions */
	struct rule_set *rules;      /* "stats http-request" */
	bool realm_given;
	struct location loc;         /* of its first word */
};

extern struct proxy_part page_part;
/* NULL: the proxy has none. It is its own, or that of its defaults section. */
static inline struct stats_page *page_of(const struct proxy *px)
{
	return proxy_part(px, &page_part);
}

enum stats_form { PAGE_HTML, PAGE_CSV, PAGE_TYPED, PAGE_JSON, PAGE_SCHEMA };
enum { PAGE_URI_MAX = 1024, PAGE_SCOPE_MAX = 64, PAGE_RESULT = 4, PAGE_NONCE = 24,
       PAGE_STATE_MAX = 10 };

/* One request for the page. */
struct page_request {
	const struct stats_page *page;
	const struct proxy *proxy;        /* that serves it */
	enum stats_form form;
	unsigned options;                 /* STAT_* */
	bool norefresh;
	bool trouble;                     /* only what wants attention */
	char state[PAGE_STATE_MAX + 1];   /* only what is so: "going_down"; empty: all */
	bool admin;                       /* the client may change servers: set by the caller */
	char result[PAGE_RESULT + 1];     /* of the last change: st=CODE; empty: none */
	char scope[PAGE_SCOPE_MAX + 1];   /* part of names, in any case; empty: all */
	char nonce[PAGE_NONCE + 1];       /* of the style: set by the caller */
};

/* Is a request for this path and query one for the page? */
bool page_wants(const struct stats_page *page, struct span path_and_query);
/* Reads the options behind the prefix. page_wants was true. */
void page_request_init(struct page_request *req, const struct stats_page *page,
		       const struct proxy *proxy, struct span path_and_query);
/* Does the page show this proxy? For stat_scan.wants; arg: struct page_request. */
bool page_shows(const void *arg, const struct proxy *px);
/* Does "stats scope" let the page tell of the proxy, whatever the browser wants to see of it? */
bool page_allows(const struct page_request *req, const struct proxy *px);

/* What links differ in. */
struct page_link {
	const char *form;   /* "csv"; NULL: the page itself */
	const char *result; /* st=CODE; NULL: none */
	bool up, norefresh, scope, trouble;
	const char *state;  /* state=NAME; "": all */
};
/* The link of the page as it was asked for. */
struct page_link page_link(const struct page_request *req);
/* Says it, as it stands in an URI. */
void page_say_link(const struct page_request *req, struct page_link link, struct text *out);
/* Where the browser goes after a change with this result: in the arena. */
const char *page_result_location(const struct page_request *req, const char *result,
				 struct arena *arena);

#endif
