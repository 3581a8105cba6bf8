/* SPDX-License-Identifier: BSD-2-Clause */
/* What a proxy's checks ask, while the configuration is read: which option, which rules. Defaults
 * sections hand it on; the first word of a proxy makes a copy of its own. */
#ifndef CHECK_CHECK_CONF_H
#define CHECK_CHECK_CONF_H

#include "check/step.h"
#include "config/config.h"
#include "config/module.h"
#include "proxy/part.h"

/* A request of http-check send, or of option httpchk. */
struct request_field {
	struct request_field *next;
	struct span name;
	struct span value;        /* or: */
	struct logformat *format;
};
struct request_conf {
	struct span method, uri, version; /* ptr NULL: not given */
	struct logformat *uri_format;
	struct request_field *fields, *last_field;
	struct span body;
	struct logformat *body_format;
	bool send_state;
};

/* What option udp-check asks by. */
enum udp_check { UDP_CHECK_BYTES, UDP_CHECK_DNS, UDP_CHECK_NTP, UDP_CHECK_RADIUS };

struct check_conf {
	const struct proxy *owner;
	enum check_type type;
	struct location loc;       /* of the option */
	bool disable_on_404, send_state;
	struct request_conf request; /* option httpchk */
	struct step_list tcp, http;
	bool own_tcp, own_http;    /* rules of this section, not of the defaults */
	bool own_option;           /* the same for its option */
	struct location tcp_loc, http_loc; /* of the first rule */
	const char *user;          /* mysql-check, pgsql-check */
	bool pre_41;
	const char *hello, *domain; /* smtpchk */
	int datagram;              /* enum udp_check: what option udp-check sends */
	struct span sends, expects; /* the same: given bytes, a name, a secret; ptr
				    * NULL: none are expected */
	const char *service;       /* grpc-check; empty: the server as a whole */
	const char *command, *path; /* external-check */
	struct ruleset *rules;     /* made at the end */
};

extern struct proxy_part check_conf_part;

/* What it has of its own or was handed on; NULL: nothing, checks ask for a connection. */
static inline struct check_conf *check_conf_of(const struct proxy *px)
{
	return proxy_part(px, &check_conf_part);
}

/* The proxy's own. */
struct check_conf *check_conf_own(struct config *cfg, struct proxy *px);
/* What checks of the proxy's servers do; NULL: a connection. */
const struct ruleset *check_conf_rules(const struct proxy *px);
/* Words of the global section. */
const struct external_conf *check_conf_external(const struct config *cfg);

/* stock.c: the rules of options that have rules of their own. */
struct ruleset *stock_rules(struct config *cfg, const struct check_conf *conf);
/* http_conf.c: those of option httpchk, with what is implied. NULL after a report. */
struct ruleset *http_rules(struct config *cfg, const struct check_conf *conf);
/* Does the first written request take what it does not say from option httpchk? It does when both
 * were written in one section. */
bool http_option_joins(const struct check_conf *conf);

/* grpc.c: those of option grpc-check. */
struct ruleset *grpc_rules(struct config *cfg, const struct check_conf *conf);

/* step_conf.c: words that tcp-check and http-check share. name: "tcp-check". Each parses what
 * stands behind its word into a new step. */
int step_parse_connect(struct statement *st, struct proxy *px, struct step_list *list,
		       const char *name);
int step_parse_comment(struct statement *st, struct step_list *list);
/* "set-var(...)" and the like; *found: it is one. */
int step_parse_variable(struct statement *st, struct proxy *px, struct step_list *list,
			const char *name, bool *found);
/* The rest of an expect: min-recv, comment, ok-status ..., and one match, which the caller
 * parses. */
int step_parse_expect(struct statement *st, struct proxy *px, struct step_list *list,
		      int (*match)(struct statement *st, struct proxy *px, struct step_expect *e));
/* A log format as the next word; NULL after a report. */
struct logformat *step_parse_format(struct statement *st, struct proxy *px, const char *what);
/* "!" and the like in front of a match; returns the match, its "!" taken off. */
const char *step_parse_match(struct statement *st, struct step_expect *e);

extern const struct module check_tcp_module, check_http_module, check_grpc_module, check_stock_module;

#endif
