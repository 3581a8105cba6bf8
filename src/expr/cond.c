/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions: alternatives ("or") of ACLs that must all hold, each perhaps negated (manual
 * 7.2). An ACL that is not decided yet is neither true nor false; a condition is undecided
 * only if the undecided ACLs matter. Called by rules. */
#include "base/arena.h"
#include "expr/acl_conf.h"
#include "expr/cond_hint.h"
#include "expr/datagrams.h"
#include "expr/expr_conf.h"
#include "expr/watch.h"
#include "proxy/proxy.h"

#include <strings.h>

struct cond_term {
	struct cond_term *next;
	const struct acl *acl;
	bool negated;
};

/* Terms that must all hold. */
struct cond_all {
	struct cond_all *next;
	struct cond_term *terms, **tail;
};

struct cond {
	bool unless;
	struct cond_all *first, **tail;
};

/* -- parsing ---------------------------------------------------------------------------- */

/* -1 after a report: a section of datagrams has nothing of what the ACL looks at. */
static int cond_check_datagrams(struct statement *st, int at, const struct acl *acl,
				const struct proxy *proxy)
{
	const struct acl_test *test;

	for (test = acl->tests; proxy && proxy_is_udp(proxy) && test; test = test->next) {
		if (expr_of_datagram(test->expr))
			continue;
		stmt_error(
			st, at,
			"%s%s%snever matches here: '%s' finds nothing in the udp-lb section '%s', "
			"datagrams have no %s",
			acl->name ? "ACL '" : "this ", acl->name ? acl->name : "",
			acl->name ? "' " : "", expr_fetch_name(test->expr), proxy->name,
			expr_missing_in_datagrams(test->expr));
		stmt_hint(
			st,
			"servers are chosen by addresses (src, src_port, dst, dst_port) and by the "
			"first datagram (req.payload, req.len)");
		return -1;
	}
	return 0;
}

/* What is said about ACLs that cannot match where the rule runs. */
static void cond_check_places(struct statement *st, int at, const struct acl *acl, unsigned where,
			      const char *rule)
{
	const struct acl_test *test;

	for (test = acl->tests; test; test = test->next) {
		if (expr_where(test->expr) & where)
			continue;
		if (acl->name)
			stmt_warning(st, at, "ACL '%s' looks at the %s ('%s'), which '%s' rules "
				     "cannot see", acl->name, expr_source(test->expr),
				     expr_fetch_name(test->expr), rule);
		else
			stmt_warning(st, at, "this never matches: '%s' looks at the %s, which '%s' "
				     "rules cannot see", expr_fetch_name(test->expr),
				     expr_source(test->expr), rule);
	}
}

static void cond_note_hellos(struct statement *st, int at, const struct acl *acl,
			     const struct proxy *proxy)
{
	const struct acl_test *test;
	struct location loc = st->loc;
	const char *name;

	for (test = acl->tests; proxy && test; test = test->next) {
		name = expr_fetch_name(test->expr);
		if (strncmp(name, "req", 3) && strncmp(name, "res", 3))
			continue;
		if (strncmp(name + 3, ".ssl_", 5) && strncmp(name + 3, "_ssl_", 5))
			continue;
		loc.column = (uint16_t)st->words[at].column;
		loc.length = (uint16_t)st->words[at].raw_len;
		expr_conf_hello(st->cfg, &loc, proxy, name);
	}
}

static struct acl *cond_anonymous(struct statement *st, struct proxy *proxy)
{
	int open = st->at - 1;
	struct acl_test *test = acl_test_parse(st, proxy, true, NULL);
	struct acl *acl;

	if (!test)
		return NULL;
	if (!stmt_take(st, "}")) {
		stmt_error(st, open, "the '}' that closes this ACL is missing (a word of its own)");
		cond_hint_brace(st, open);
		return NULL;
	}
	acl = acl_new(st->cfg->arena, NULL);
	acl_add_test(acl, test);
	return acl;
}

static struct acl *cond_named(struct statement *st, struct proxy *proxy, const char *name,
			      bool negated)
{
	bool known;
	struct acl *acl = acl_find(st, proxy, name, &known);

	if (acl) {
		acl->used = true;
		return acl;
	}
	if (known) {
		stmt_error(st, st->at - 1, "the predefined ACL '%s' is not supported yet", name);
		return NULL;
	}
	stmt_unknown_part(st, st->at - 1, st->words[st->at - 1].text, "ACL", NULL);
	if (!cond_hint_word(st, name, negated) && !cond_hint_elsewhere(st, proxy, name))
		cond_hint_names(st, proxy, name);
	return NULL;
}

/* "[!]name" or "[!] { ... }"; the '!' may stand apart and several times. */
static struct cond_term *cond_term_parse(struct statement *st, struct proxy *proxy,
					 unsigned where, const char *rule)
{
	struct cond_term *term = arena_alloc(st->cfg->arena, sizeof(*term));
	const char *word = "";
	int at;

	while (word && !*word) {
		word = stmt_need(st, "an ACL");
		for (; word && *word == '!'; word++)
			term->negated = !term->negated;
	}
	if (!word)
		return NULL;
	at = st->at - 1;
	term->acl = !strcmp(word, "{") ? cond_anonymous(st, proxy) :
				       cond_named(st, proxy, word, term->negated);
	if (!term->acl)
		return NULL;
	if (cond_check_datagrams(st, at, term->acl, proxy))
		return NULL;
	cond_check_places(st, at, term->acl, where, rule);
	cond_note_hellos(st, at, term->acl, proxy);
	return term;
}

static bool cond_is_or(const char *word)
{
	return !strcasecmp(word, "or") || !strcmp(word, "||");
}

static struct cond_all *cond_add_all(struct statement *st, struct cond *cond)
{
	struct cond_all *all = arena_alloc(st->cfg->arena, sizeof(*all));

	all->tail = &all->terms;
	*cond->tail = all;
	cond->tail = &all->next;
	return all;
}

static int cond_words(struct statement *st, struct proxy *proxy, unsigned where, const char *rule,
		      struct cond *cond)
{
	struct cond_all *all = cond_add_all(st, cond);
	struct cond_term *term;
	const char *word;

	do {
		word = stmt_peek(st);
		if (word && cond_is_or(word)) {
			stmt_next(st);
			if (!all->terms) {
				stmt_error(st, st->at - 1, "an ACL is expected before '%s'", word);
				stmt_hint(st, "'%s' stands between two alternatives", word);
				return -1;
			}
			all = cond_add_all(st, cond);
		}
		term = cond_term_parse(st, proxy, where, rule);
		if (!term)
			return -1;
		*all->tail = term;
		all->tail = &term->next;
	} while (stmt_peek(st));
	return 0;
}

int cond_parse(struct statement *st, struct proxy *proxy, unsigned where, const char *rule,
	       struct cond **cond)
{
	const char *word = stmt_next(st);
	struct cond *made;

	if (!word)
		return 0;
	if (strcmp(word, "if") && strcmp(word, "unless")) {
		stmt_error(st, st->at - 1, "'if' or 'unless' is expected here, not '%s'", word);
		if (!cond_hint_if(st, proxy, word))
			cond_hint_value(st);
		return -1;
	}
	made = arena_alloc(st->cfg->arena, sizeof(*made));
	made->unless = !strcmp(word, "unless");
	made->tail = &made->first;
	if (cond_words(st, proxy, where, rule, made))
		return -1;
	*cond = made;
	return 0;
}

static bool cond_acl_looks(const struct acl *acl)
{
	const struct acl_test *test;

	for (test = acl->tests; test; test = test->next) {
		if (expr_looks(test->expr))
			return true;
	}
	return false;
}

bool cond_looks(const struct cond *cond)
{
	const struct cond_term *term;
	const struct cond_all *all;

	for (all = cond ? cond->first : NULL; all; all = all->next) {
		for (term = all->terms; term; term = term->next) {
			if (cond_acl_looks(term->acl))
				return true;
		}
	}
	return false;
}

/* Is it true, or false, whatever comes? */
static bool cond_acl_fixed(const struct acl *acl, bool value)
{
	const struct acl_test *test = acl->tests;

	return test && !test->next && test->match == MATCH_BOOL &&
	       !expr_has_converters(test->expr) &&
	       !strcmp(expr_fetch_name(test->expr), value ? "always_true" : "always_false");
}

/* One false term makes alternatives false, all true ones make them true. */
static bool cond_all_fixed(const struct cond_all *all, bool value)
{
	const struct cond_term *term = all->terms;

	while (term && cond_acl_fixed(term->acl, term->negated != value) == value)
		term = term->next;
	return value ? !term : term != NULL;
}

static bool cond_fixed(const struct cond *cond, bool value)
{
	const struct cond_all *all = cond->first;
	bool sum = cond->unless != value; /* of the alternatives */

	while (all && cond_all_fixed(all, sum) != sum)
		all = all->next;
	return sum ? all != NULL : !all;
}

bool cond_always(const struct cond *cond)
{
	return !cond || cond_fixed(cond, true);
}

bool cond_never(const struct cond *cond)
{
	return cond && cond_fixed(cond, false);
}

bool cond_settled(const struct cond *cond)
{
	const struct cond_term *term;
	const struct cond_all *all;

	for (all = cond ? cond->first : NULL; all; all = all->next) {
		for (term = all->terms; term; term = term->next) {
			if (term->acl->lines)
				return false;
		}
	}
	return true;
}

/* -- evaluation ------------------------------------------------------------------------- */

static enum cond_result cond_not(enum cond_result result, bool negated)
{
	if (!negated || result == COND_WAIT || result == COND_UNKNOWN)
		return result;
	return result == COND_YES ? COND_NO : COND_YES;
}

static enum cond_result cond_all_eval(const struct cond_all *all, const struct view *view,
				      unsigned place)
{
	enum cond_result sum = COND_YES, one;
	const struct cond_term *term;

	for (term = all->terms; term; term = term->next) {
		one = cond_not(acl_eval(term->acl, view, place), term->negated);
		if (one == COND_NO)
			return COND_NO;
		if (one == COND_WAIT || sum == COND_YES)
			sum = one;
	}
	return sum;
}

static inline enum cond_result cond_value(const struct cond *cond, const struct view *view,
					  unsigned place)
{
	enum cond_result sum = COND_NO, one = COND_NO;
	const struct cond_all *all;

	if (!cond)
		return COND_YES;
	for (all = cond->first; all && one != COND_YES; all = all->next) {
		one = cond_all_eval(all, view, place);
		if (one == COND_YES || one == COND_WAIT || sum == COND_NO)
			sum = one;
	}
	return cond_not(sum, cond->unless);
}

COLD static enum cond_result cond_eval_watched(const struct cond *cond, const struct view *view,
					       unsigned place)
{
	enum cond_result result = cond_value(cond, view, place);

	if (cond)
		watch->cond(result);
	return result;
}

enum cond_result cond_eval(const struct cond *cond, const struct view *view, unsigned place)
{
	return unlikely(watch != NULL) ? cond_eval_watched(cond, view, place) :
					 cond_value(cond, view, place);
}
