/* SPDX-License-Identifier: BSD-2-Clause */
/* ACLs: the "acl" line, anonymous and predefined ones, and what they come to for a stream.
 * Parsed while the configuration is read; evaluated by conditions. Fetches that have several
 * values match when one of them does. */
#include "expr/acl.h"

#include "base/arena.h"
#include "base/err.h"
#include "expr/acl_conf.h"
#include "expr/acl_doubt.h"
#include "expr/acl_hint.h"
#include "expr/expr_conf.h"
#include "expr/names.h"
#include "expr/pattern_parse.h"
#include "expr/pattern_ref.h"
#include "expr/regex.h"
#include "expr/userlist.h"
#include "expr/watch.h"
#include "proxy/proxy.h"

#include <ctype.h>
#include <strings.h>

/* Of the manual, whether or not acl_words.c has them. */
static const char *const known_words[] = {
#define KNOWN_ACL(name) name,
#define KNOWN_PREDEFINED(name)
#include "expr/known_acls.def"
#undef KNOWN_ACL
#undef KNOWN_PREDEFINED
	NULL,
};

static const char *const known_predefined[] = {
#define KNOWN_ACL(name)
#define KNOWN_PREDEFINED(name) name,
#include "expr/known_acls.def"
#undef KNOWN_ACL
#undef KNOWN_PREDEFINED
	NULL,
};

static bool in_list(const char *const *list, struct span name)
{
	for (; *list; list++) {
		if (span_equal(name, span_of(*list)))
			return true;
	}
	return false;
}

/* -- the criterion ---------------------------------------------------------------------- */

/* The expression of a test; an ACL word is replaced by its fetch and gives the method, as long
 * as no converter follows. */
static int acl_criterion(struct statement *st, struct proxy *proxy, const bool *used,
			 bool anonymous, struct acl_test *test)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = proxy, .used = used };
	const char *text = stmt_need(st, "a sample fetch");
	const struct acl_word *word;
	struct span name;
	struct err err;

	if (!text) {
		stmt_hint(st, "as in 'path_beg /admin' or 'src 10.0.0.0/8'");
		return -1;
	}
	name = (struct span){ text, strcspn(text, "(,") };
	word = acl_word_find(name);
	if (!word && !expr_fetch_find(name) && in_list(known_words, name))
		return stmt_error(st, st->at - 1, "ACL '%.*s' is not supported yet", (int)name.len,
				  text);
	if (word)
		text = arena_printf(ctx.arena, "%s%s", word->fetch, text + name.len);
	test->expr = expr_parse_all(text, &ctx, &err);
	if (!test->expr) {
		stmt_error(st, st->at - 1, "%s", err.text);
		acl_hint_criterion(st, name, anonymous);
		return -1;
	}
	test->match = match_default(expr_type(test->expr));
	if (word && !expr_has_converters(test->expr))
		test->match = word->match;
	return 0;
}

/* -- flags ------------------------------------------------------------------------------ */

/* What the words of a test have said so far. */
struct acl_flags {
	unsigned pattern; /* PATTERN_* */
	bool files, ended; /* a file was given; "--" */
	int64_t id;        /* -1: none */
};

static int acl_flag_match(struct statement *st, struct acl_test *test,
			  const struct acl_flags *flags)
{
	const char *name = stmt_need(st, "a matching method");
	enum match match;

	if (!name)
		return -1;
	match = match_find(name);
	if (match == MATCH_NONE)
		return stmt_error(st, st->at - 1, "unknown matching method '%s'; found, bool, int, "
				  "ip, bin, len, str, beg, sub, reg, end, dir and dom exist", name);
	if (flags->files)
		return stmt_error(st, st->at - 2, "-m must stand before the files of patterns");
	test->match = match;
	return 0;
}

/* One more set of patterns, behind the others. */
static struct pattern_set *acl_add_set(struct statement *st, struct acl_test *test)
{
	struct pattern_set **at = &test->patterns;

	while (*at)
		at = &(*at)->next;
	*at = pattern_set_new(test->match, st->cfg->arena);
	return *at;
}

static int acl_check_match(struct statement *st, int criterion, const struct acl_test *test)
{
	if (test->match == MATCH_NONE)
		return stmt_error(st, criterion, "a matching method must be given with -m: there "
				  "is no usual one for values of type %s",
				  sample_type_name(expr_type(test->expr)));
	if (!match_fits(test->match, expr_type(test->expr)))
		return stmt_error(st, criterion, "-m %s cannot be used with values of type %s",
				  match_name(test->match),
				  sample_type_name(expr_type(test->expr)));
	return 0;
}

static int acl_flag_file(struct statement *st, int criterion, struct acl_test *test,
			 struct acl_flags *flags)
{
	const char *path = stmt_need(st, "a file of patterns");
	struct err err;

	if (!path || acl_check_match(st, criterion, test))
		return -1;
	flags->files = true;
	if (!match_has_patterns(test->match))
		return 0;
	if (pattern_ref_load(st->cfg, &st->loc, acl_add_set(st, test), path, flags->pattern, true,
			     &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	return 0;
}

static int acl_flag_id(struct statement *st, struct acl_flags *flags)
{
	return stmt_int(st, "the number of the ACL", 0, INT32_MAX, &flags->id);
}

static int acl_flag(struct statement *st, int criterion, struct acl_test *test,
		    struct acl_flags *flags)
{
	const char *word = stmt_next(st);

	if (!strcmp(word, "-i"))
		flags->pattern |= PATTERN_ICASE;
	else if (!strcmp(word, "-n"))
		flags->pattern |= PATTERN_NO_NAMES;
	else if (!strcmp(word, "-M"))
		flags->pattern |= PATTERN_MAP;
	else if (!strcmp(word, "-m"))
		return acl_flag_match(st, test, flags);
	else if (!strcmp(word, "-f"))
		return acl_flag_file(st, criterion, test, flags);
	else if (!strcmp(word, "-u"))
		return acl_flag_id(st, flags);
	else if (!strcmp(word, "--"))
		flags->ended = true;
	else
		return stmt_error(st, st->at - 1, "'%s' is no option of an ACL; '--' stands before "
				  "patterns that begin with '-'", word);
	return 0;
}

/* -- patterns --------------------------------------------------------------------------- */

static bool acl_at_end(const struct statement *st, bool anonymous)
{
	const char *word = stmt_peek(st);

	return !word || (anonymous && !strcmp(word, "}") && !st->words[st->at].quoted);
}

static int acl_values(struct statement *st, int criterion, struct acl_test *test,
		      struct pattern_ref *ref, const struct acl_flags *flags, bool anonymous)
{
	bool numbers = test->match == MATCH_INT || test->match == MATCH_LEN ||
		       test->match == MATCH_VERSION;
	enum pattern_op op = OP_EQUAL;
	bool told = flags->ended; /* "--": patterns are meant */
	bool empty = false;
	const char *word;
	struct err err;

	while (!acl_at_end(st, anonymous)) {
		word = stmt_next(st);
		if (numbers && pattern_operator(word, &op))
			continue;
		if (!*word && match_has_patterns(test->match)) {
			if (!empty)
				stmt_warning(st, st->at - 1, "an empty pattern never matches");
			empty = true;
		}
		else if (match_has_patterns(test->match) && pattern_ref_put(ref, word, op, &err)) {
			stmt_error(st, st->at - 1, "%s", err.text);
			acl_hint_value(st, test, criterion);
			return -1;
		}
		else if (!told)
			told = acl_doubt_words(st) || acl_doubt_pattern(st, criterion, test);
	}
	return 0;
}

/* The patterns of the line itself, if only those that are added while the program runs. */
static int acl_own_patterns(struct statement *st, int criterion, struct acl_test *test,
			    const struct acl_flags *flags, bool anonymous)
{
	struct pattern_set *set = acl_add_set(st, test);
	struct pattern_ref *ref;
	struct err err;

	ref = pattern_ref_line(st->cfg, &st->loc, set, st->words[criterion].text, flags->id,
			       flags->pattern, &err);
	if (!ref)
		return stmt_error(st, criterion, "%s", err.text);
	if (acl_values(st, criterion, test, ref, flags, anonymous))
		return -1;
	if (!match_has_patterns(test->match) || pattern_first(set) || flags->files || flags->ended)
		return 0;
	stmt_warning(st, criterion, "there is no pattern, so this ACL never matches");
	stmt_hint(st, "-m found asks whether there is a value at all, -m bool whether a number is "
		      "not 0; '--' behind it says that it is meant so");
	return 0;
}

struct acl_test *acl_test_parse(struct statement *st, struct proxy *proxy, bool anonymous,
				const bool *used)
{
	struct acl_test *test = arena_alloc(st->cfg->arena, sizeof(*test));
	struct acl_flags flags = { .pattern = st->cfg->check_only ? PATTERN_TRUST_NAMES : 0,
				   .id = -1 };
	const struct pattern_set *set;
	int criterion = st->at;

	if (acl_criterion(st, proxy, used, anonymous, test))
		return NULL;
	while (!flags.ended && !acl_at_end(st, anonymous) && stmt_peek(st)[0] == '-' &&
	       stmt_peek(st)[1]) {
		if (acl_flag(st, criterion, test, &flags))
			return NULL;
	}
	if (acl_check_match(st, criterion, test) ||
	    acl_own_patterns(st, criterion, test, &flags, anonymous))
		return NULL;
	for (set = test->patterns; set; set = set->next)
		pattern_warn_unresolved(st->cfg, &st->loc, set);
	test->loc = st->loc;
	if (test->match == MATCH_GROUP)
		expr_conf_group(st->cfg, test);
	return test;
}

static int acl_check_group(struct config *cfg, const struct acl_test *test,
			   const struct pattern_set *set)
{
	const struct userlist *users = expr_argument(test->expr, 0)->userlist;
	const struct pattern *p;
	int bad = 0;

	for (p = pattern_first(set); p; p = p->next)
		if (!userlist_has_group(users, p->text))
			bad |= config_error(cfg, &test->loc, "there is no group '%s' in the userlist "
					    "of %s", p->text, expr_text(test->expr));
	return bad;
}

int acl_check_groups(struct config *cfg, const struct acl_test *list)
{
	const struct pattern_set *set;
	int bad = 0;

	for (; list; list = list->next_group)
		for (set = list->patterns; set; set = set->next)
			bad |= acl_check_group(cfg, list, set);
	return bad;
}

/* -- sets ------------------------------------------------------------------------------- */

struct acl *acl_new(struct arena *arena, const char *name)
{
	struct acl *acl = arena_alloc(arena, sizeof(*acl));

	acl->name = name;
	acl->tail = &acl->tests;
	return acl;
}

void acl_add_test(struct acl *acl, struct acl_test *test)
{
	*acl->tail = test;
	acl->tail = &test->next;
}

struct acl *acl_of(const struct proxy *proxy, const char *name)
{
	const struct catalog_entry *e;

	if (!proxy || !proxy->acls)
		return NULL;
	e = catalog_find(&proxy->acls->names, span_of(name));
	return e ? e->object : NULL;
}

static void acl_enter(struct arena *arena, struct proxy *proxy, struct acl *acl)
{
	if (!proxy->acls)
		proxy->acls = arena_alloc(arena, sizeof(*proxy->acls));
	acl->next = proxy->acls->first;
	proxy->acls->first = acl;
	catalog_add(&proxy->acls->names, arena, acl->name, acl);
}

/* A statement made of the words of a predefined ACL; problems are shown at st's line. */
static struct statement acl_statement(const struct statement *st, const char *words)
{
	struct statement made = *st;
	char *text = arena_strdup(st->cfg->arena, words), *save = NULL, *part;
	struct word *list = arena_alloc(st->cfg->arena, (strlen(words) + 1) * sizeof(*list));

	made.words = list;
	made.count = made.at = 0;
	for (part = strtok_r(text, " ", &save); part; part = strtok_r(NULL, " ", &save))
		list[made.count++] = (struct word){ .text = part, .column = 1, .raw_len = 1 };
	return made;
}

/* The one of this name, once for each proxy. */
static struct acl *acl_used_predefined(const struct proxy *proxy, const char *name)
{
	struct acl *acl = proxy && proxy->acls ? proxy->acls->predefined : NULL;

	while (acl && strcmp(acl->name, name) != 0)
		acl = acl->next;
	return acl;
}

static void acl_keep_predefined(struct arena *arena, struct proxy *proxy, struct acl *acl)
{
	if (!proxy)
		return;
	if (!proxy->acls)
		proxy->acls = arena_alloc(arena, sizeof(*proxy->acls));
	acl->next = proxy->acls->predefined;
	proxy->acls->predefined = acl;
}

static struct acl *acl_make_predefined(struct statement *st, struct proxy *proxy, const char *name)
{
	const struct acl_predefined *p = acl_predefined;
	struct acl_test *test;
	struct statement made;
	struct acl *acl;

	while (p->name && strcmp(p->name, name))
		p++;
	if (!p->name)
		return NULL;
	made = acl_statement(st, p->words);
	test = acl_test_parse(&made, proxy, false, NULL);
	if (!test)
		return NULL;
	acl = acl_new(st->cfg->arena, p->name);
	acl_add_test(acl, test);
	acl_keep_predefined(st->cfg->arena, proxy, acl);
	return acl;
}

struct acl *acl_find(struct statement *st, struct proxy *proxy, const char *name, bool *known)
{
	struct acl *acl = acl_of(proxy, name);

	*known = in_list(known_predefined, span_of(name));
	if (!acl)
		acl = acl_used_predefined(proxy, name);
	return acl ? acl : acl_make_predefined(st, proxy, name);
}

const char *const *acl_names(struct statement *st, const struct proxy *proxy)
{
	struct acl *acl = proxy && proxy->acls ? proxy->acls->first : NULL, *a;
	const char **names;
	size_t n = 0;

	for (a = acl; a; a = a->next)
		n++;
	names = arena_alloc(st->cfg->arena, (n + 1) * sizeof(*names));
	for (n = 0; acl; acl = acl->next)
		names[n++] = acl->name;
	return names;
}

static int acl_name_check(struct statement *st, const char *name)
{
	const char *c;

	for (c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("-_.:", *c))
			return stmt_error(st, st->at - 1, "character '%.*s' cannot be part of the "
					  "name of an ACL: letters, digits, '-', '_', '.' and ':' "
					  "can", str_char(c), c);
	}
	if (!*name || !strcasecmp(name, "or"))
		return stmt_error(st, st->at - 1, "'%s' cannot be the name of an ACL%s", name,
				  *name ? ": it parts the alternatives of a condition" : "");
	return 0;
}

int acl_parse(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *proxy = object;
	const char *name = stmt_need(st, "the name of the ACL");
	struct acl_test *test;
	struct acl *acl;

	(void)kw;
	if (!name || acl_name_check(st, name))
		return -1;
	/* Entered before its test is read: when that is wrong, the conditions that name the ACL
	 * are not reported as well. */
	acl = acl_of(proxy, name);
	if (!acl) {
		acl = acl_new(st->cfg->arena, name);
		acl->lines = true;
		acl_enter(st->cfg->arena, proxy, acl);
	}
	test = acl_test_parse(st, proxy, false, &acl->used);
	if (!test)
		return -1;
	acl_add_test(acl, test);
	return 0;
}

/* -- evaluation ------------------------------------------------------------------------- */

/* The user is in one of the groups that the patterns name. */
static bool acl_in_group(const struct acl_test *test, struct span user)
{
	const struct userlist *list = expr_argument(test->expr, 0)->userlist;
	const struct pattern_set *set;
	const struct pattern *p;

	for (set = test->patterns; set; set = set->next)
		for (p = pattern_first(set); p; p = p->next)
			if (userlist_in_group(list, user, p->text))
				return true;
	return false;
}

static bool acl_in_sets(const struct acl_test *test, struct sample *smp)
{
	const struct pattern_set *set = test->patterns;

	for (; set; set = set->next)
		if (set->table.count && pattern_match(set, smp))
			return true;
	return false;
}

static bool acl_matches(const struct acl_test *test, struct sample *smp)
{
	switch (test->match) {
	case MATCH_FOUND:
		return true;
	case MATCH_BOOL:
		return sample_cast(smp, SMP_BOOL) && smp->num;
	case MATCH_GROUP:
		return acl_in_group(test, smp->str);
	default:
		return acl_in_sets(test, smp);
	}
}

static enum cond_result acl_test_eval(const struct acl_test *test, const struct view *view,
				      unsigned place)
{
	struct expr_walk walk = { .all = true };
	uint64_t before = regex_given_up, fetched;
	enum expr_result result;
	struct sample smp;
	bool wait = false;

	do {
		fetched = regex_given_up;
		result = expr_eval_next(test->expr, view, place, &walk, &smp);
		if (result != EXPR_FOUND)
			break;
		/* What a converter could not make out may match, and may not have. */
		if (fetched == regex_given_up && acl_matches(test, &smp))
			return COND_YES;
		wait = wait || smp.flags & SMP_MAY_CHANGE;
	} while (smp.flags & SMP_NOT_LAST);
	if (wait || result == EXPR_WAIT)
		return COND_WAIT;
	return unlikely(before != regex_given_up) ? COND_UNKNOWN : COND_NO;
}

static inline enum cond_result acl_any(const struct acl *acl, const struct view *view,
				       unsigned place)
{
	enum cond_result all = COND_NO, one;
	const struct acl_test *test;

	for (test = acl->tests; test; test = test->next) {
		one = acl_test_eval(test, view, place);
		if (one == COND_YES)
			return COND_YES;
		if (one == COND_WAIT || all == COND_NO)
			all = one;
	}
	return all;
}

COLD static enum cond_result acl_eval_watched(const struct acl *acl, const struct view *view,
					      unsigned place)
{
	enum cond_result result;

	watch->acl(acl->name, acl->tests ? &acl->tests->loc : NULL);
	result = acl_any(acl, view, place);
	watch->asked(result);
	return result;
}

enum cond_result acl_eval(const struct acl *acl, const struct view *view, unsigned place)
{
	return unlikely(watch != NULL) ? acl_eval_watched(acl, view, place) :
					 acl_any(acl, view, place);
}
