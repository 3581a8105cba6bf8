/* SPDX-License-Identifier: BSD-2-Clause */
/* How proxies come out of a configuration: used by the parsers and the finish of proxy/, and
 * by upper layers for proxies of their own (the stats socket's). */
#ifndef PROXY_PROXY_CONF_H
#define PROXY_PROXY_CONF_H

#include "proxy/proxy.h"

extern const struct keyword proxy_keywords[];

/* "frontend", "backend", "listen", "udp-lb": what its section is called. */
const char *proxy_kind_name(const struct proxy *px);
/* The settings that hold when nothing is given. */
void proxy_settings_init(struct proxy_settings *set);
void server_settings_init(struct server_settings *set);
/* A proxy with these settings (NULL: as above), in no list. */
struct proxy *proxy_new(struct config *cfg, const char *name, unsigned caps,
			const struct location *loc, const struct proxy_settings *from);

/* The frontend may send sessions to the backend (default_backend, use_backend): for
 * fullconn. To be called by the finish of whoever knows. */
void proxy_link(struct config *cfg, struct proxy *frontend, struct proxy *backend);
/* May a stream of the one come to the other? Behind the finish of proxies and of use_backend. */
bool proxy_leads(const struct proxy *frontend, const struct proxy *backend);
/* Reports when their modes do not fit. */
void proxy_check_modes(struct config *cfg, struct proxy *frontend,
		       const struct proxy *backend, const struct location *loc);
/* Cross references, checks, numbers, states. 0, or -1 after a report. */
int proxy_finish(struct config *cfg, void *data);
/* The same for the servers of one proxy: names, numbers, ports. */
void servers_finish(struct config *cfg, struct proxy *px);
/* Looks up the host names of all servers, each once. Not for a broken file. */
void servers_resolve(struct config *cfg, struct proxies *all);
/* Makes px->dispatch of what the sections say, or reports why not. */
void dispatch_finish(struct config *cfg, struct proxy *px);
/* What one server's words come to, of what needs no other server. 0, or -1 after a report. */
int server_check_words(struct config *cfg, struct server *s);
/* May it track what its words say? Changes nothing. 0, or -1 after a report. */
int server_check_track(struct config *cfg, struct proxies *all, const struct server *s);
/* Whom one server tracks; NULL in s->tracked after a report. */
void server_track(struct config *cfg, struct proxies *all, struct server *s);
/* The state of one that was just configured. */
void server_state_init(struct server *s);
/* It takes from the one that it tracks what it inherits. */
void server_follow_tracked(struct server *s);
/* Then who tracks whom, when all servers are known. */
void servers_track(struct config *cfg, struct proxies *all);
/* The sum of the maxconn in force of the frontends that may use the backend. */
unsigned proxy_uppers_maxconn(const struct proxy *backend);
/* Lays out the states of everything in the segment. 0, or -1 after a report. */
int states_finish(struct config *cfg, struct proxies *all);

/* Parsers of longer words. */
keyword_parse parse_source;        /* the field at kw->offset: struct source_conf */
keyword_parse parse_http_mode, parse_kernel_relay, parse_retry_on, parse_retry_budget;
keyword_parse parse_server_line, parse_default_server, parse_server_template;
keyword_parse parse_dispatch;

/* Letters, digits and "-_.:", most of them at the most; what: whose name, for the message. 0, or -1
 * after a report. */
int proxy_check_name(struct statement *st, const char *name, const char *what, ptrdiff_t most);

/* For the lines that make servers. The name in the next word, where a server may stand; what: of
 * it, for the message; number: so many characters follow. NULL after a report. */
const char *server_conf_name(struct statement *st, const struct proxy *px, const char *what,
			     size_t number);
/* A server of that name, in no list, without settings. */
struct server *server_conf_make(struct config *cfg, struct proxy *px, const char *name);
/* The same with what default-server has set. */
struct server *server_conf_new(struct statement *st, struct proxy *px, const char *name);
/* May it be a server's name? 0, or -1 after a report. */
int server_conf_check_name(struct statement *st, const char *name);
/* Reads the address and the words behind it. 0, or -1 after a report. */
int server_conf_parse(struct statement *st, struct server *s);
/* statement.refuses of server lines in sections udp-lb; object: the server. */
bool server_refuses_datagrams(struct statement *st, void *object);
/* Puts it behind the other servers of its proxy. */
void server_conf_enter(struct server *s);
/* Takes it out of there; it leads on to the next as before. */
void server_conf_leave(struct server *s);
/* Enters it and reads its address and the words behind it. 0, or -1 after a report. */
int server_conf_read(struct statement *st, struct server *s);

#endif
