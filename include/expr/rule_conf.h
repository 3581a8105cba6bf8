/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules are made of: for the tables of actions and the keywords that parse rules. */
#ifndef EXPR_RULE_CONF_H
#define EXPR_RULE_CONF_H

#include "config/config.h"
#include "expr/acl.h"
#include "expr/rule.h"

#include <stdio.h>

struct logformat;
struct proxies;
struct proxy;
struct rule;
struct tables;
struct var_name;

/* What an action says to the list that runs it. */
enum action_result {
	ACTION_NEXT,   /* done, go on with the next rule */
	ACTION_WAIT,   /* run me again when what I wait for may be there */
	ACTION_ACCEPT, /* the list ends: RULES_PASS */
	ACTION_REJECT, ACTION_CLOSE, ACTION_DROP, ACTION_REPLY, ACTION_ERROR, /* RULES_... */
};

/* A row: one action of some lists. */
struct action {
	const char *name; /* the last row of a table has none */
	bool args;        /* the name is followed by "(...)" in the same word */
	uint16_t where;   /* AT_*: lists that have it */
	/* Parses what follows into rule; the word itself is consumed (text behind its name,
	 * "(...)", is given). Leaves the condition. NULL: nothing follows. 0, or -1 after a
	 * report. */
	int (*parse)(struct statement *st, struct rule *rule, const char *args);
	enum action_result (*run)(const struct rule *rule, struct view *view, unsigned place);
	bool final;       /* where it has run, no later rule of the list does */
	bool refuses;     /* keeps the message from where it wants to go: runs also where it cannot
			   * be known whether its condition holds */
	int data;         /* tells rows apart that share functions */
	const char *help;
	/* `copy` of a rule in a defaults section is to run in `heir`: what depends on that is set
	 * or checked. May be NULL. 0, or -1 after a report. */
	int (*inherit)(struct config *cfg, struct rule *copy, struct proxy *heir);
};

struct rule {
	struct rule *next;
	const struct action *action;
	struct cond *cond;    /* NULL: always */
	struct location loc;
	struct proxy *proxy;  /* that it was written in */
	unsigned where;       /* AT_* that it may run at */
	bool passes;          /* though its action is final, the list may go on behind it */
	const char *list;     /* "tcp-request content" */
	/* For the action: */
	struct expr *expr;
	struct logformat *format;
	const struct var_name *var;
	int64_t num;
	void *data;
};

struct rule_set {
	struct rule *first, **tail;
	unsigned place;       /* the AT_* bit that it runs at */
	bool looks;           /* some rule looks at bytes */
	const struct rule *last; /* the first one that always ends the list */
	bool warned;          /* about rules behind that */
};

/* A kind of list: "tcp-request content". */
struct rule_list {
	const char *name;
	unsigned where;       /* AT_* */
	struct tables *tables; /* of struct action; lists may share them */
	const char *const *known; /* actions of the manual, NULL-terminated: one without a row
				   * is not supported yet */
};

/* Adds a table to those of the list, and of each list that shares them; `where` of its rows says
 * which of these have them. It ends with a row without a name and stays for the life of the
 * process: rules that are parsed later have its actions, as help does. 0; or -1 and err: a name is
 * there already, or there is no room. */
int rule_add_actions(const struct rule_list *list, const struct action *table, struct err *err);
/* Explains the action that the words name ("deny", "http-request deny"), else names the actions of
 * the lists that they name, or begin with. lists: all there are, ended by NULL. any: something
 * stands above. Is there something? */
bool rule_help(FILE *out, const struct rule_list *const *lists, const char *const *words, int count,
	       bool any);
/* Parses "<action> ... [if|unless <condition>]" and appends the rule to *set (made when it
 * is NULL). 0, or -1 after a report. */
int rule_parse(struct statement *st, struct proxy *proxy, const struct rule_list *list,
	       struct rule_set **set);
/* rule_parse, but not in a defaults section without a name. */
int rule_parse_list(struct statement *st, struct proxy *proxy, const struct rule_list *list,
		    struct rule_set **set);
/* Says no to words of rules in a defaults section without a name. 0, or -1 after a report. */
int rule_check_defaults(struct statement *st, const struct proxy *proxy, const char *word);
/* Lists run in their own order, whatever that of the lines: this one of `list` stands behind one of
 * `later`. */
void rule_warn_order(struct statement *st, const char *list, const char *later);
/* May the section have the rules of its defaults section, which notes who uses them? 0, or
 * -1 after a report. */
int rule_check_inherit(struct config *cfg, const struct proxy *px, struct proxy *from);
/* The same where the line is the action: no word names it. */
int rule_parse_action(struct statement *st, struct proxy *proxy, const struct action *action,
		      const char *name, unsigned where, struct rule_set **set);
/* Takes the rest of the line's action as an expression into rule->expr; it may look at what the
 * list of the rule sees. 0, or -1 after a report. */
int rule_parse_expr(struct statement *st, struct rule *rule);
/* Where rules of requests run in this section: as a frontend, as a backend or as both (AT_*). */
unsigned rule_request_places(const struct proxy *px);
/* The one of several places that knows most: that of a listen section knows its backend. */
unsigned rule_place_bit(unsigned where);
/* The rules of `from` (a defaults section) come before those of *set of the heir, which may be
 * NULL. Their actions look at what the heir has (action.inherit), and report. */
void rule_inherit(struct config *cfg, struct proxy *heir, struct rule_set **set,
		  const struct rule_set *from);

/* Actions that need nothing but the view: accept, reject, close; set-var and the like. */
extern const struct action rule_actions[], rule_var_actions[];
/* On what is followed in stick tables: sc-inc-gpc and the like. */
extern const struct action stick_actions[];

/* use_backend and use-server: parsers of the words, and the end of the configuration. */
keyword_parse switch_parse_backend, switch_parse_server, switch_parse_force;
int switch_finish(struct config *cfg, struct proxies *all);

#endif
