/* SPDX-License-Identifier: BSD-2-Clause */
/* ACLs as people write them who know other languages: comparisons, commas, braces, flags in another
 * place. Called by acls.c behind problems. */
#include "expr/acl_hint.h"

#include "base/bug.h"
#include "expr/meant.h"
#include "expr/names.h"

#include <ctype.h>
#include <stdio.h>

/* -- the criterion ---------------------------------------------------------------------- */

/* The word for a criterion that looks most like this one, which is none, nor a fetch. */
static void hint_nearest(struct statement *st, struct span name)
{
	const char *fetch = fetch_nearest(name);
	unsigned limit = fetch ? 1 : 2, distance;
	const struct acl_word *w, *nearest = NULL;
	char word[64];

	if (acl_word_known(name) || expr_fetch_find(name) || fetch_known(name) ||
	    fetch_meant(name) || name.len >= sizeof(word))
		return;
	if (criterion_meant(name, word, sizeof(word))) {
		stmt_hint(st, "did you mean the ACL criterion '%s'?", word);
		return;
	}
	memcpy(word, name.ptr, name.len);
	word[name.len] = 0;
	for (w = acl_words; w->name && limit; w++) {
		distance = str_distance(word, w->name, limit);
		if (distance > limit)
			continue;
		nearest = w;
		limit = distance - 1;
	}
	if (nearest && (!fetch || strcmp(nearest->name, fetch) != 0))
		stmt_hint(st, "did you mean the ACL criterion '%s'?", nearest->name);
}

/* The name of the ACL that an 'acl' line declares. */
static const char *declared(const struct statement *st)
{
	return st->count > 1 ? st->words[1].text : "...";
}

/* "{ path", "!path", "if path", "-i path" behind the name of an ACL. */
static bool hint_in_front(struct statement *st, const char *word, bool anonymous)
{
	const char *next = stmt_peek(st) ? stmt_peek(st) : "...";

	if (!strcmp(word, "{"))
		stmt_hint(st, "braces belong to conditions: write 'acl %s %s ...' without them",
			  declared(st), next);
	else if (!strcmp(word, "if") || !strcmp(word, "unless"))
		stmt_hint(st, "no '%s' stands in front of the test of an ACL: leave it out", word);
	else if (!anonymous && (*word == '!' || !strcmp(word, "not")))
		stmt_hint(st, "an ACL is negated where it is used, as in 'if !%s'", declared(st));
	else if (*word == '!' || !strcmp(word, "not"))
		stmt_hint(st, "'!' stands in front of the braces: write '!{ %s ... }'",
			  word[0] == '!' && word[1] ? word + 1 : next);
	else if (word[0] == '-' && word[1] && !word[2])
		stmt_hint(st, "flags stand behind the criterion: write '%s %s ...'", next, word);
	else
		return false;
	return true;
}

void acl_hint_criterion(struct statement *st, struct span name, bool anonymous)
{
	if (!hint_in_front(st, st->words[st->at - 1].text, anonymous))
		hint_nearest(st, name);
}

/* -- comparisons ------------------------------------------------------------------------ */

enum comparison { COMPARE_NONE, COMPARE_EQUAL, COMPARE_UNEQUAL, COMPARE_REGEX, COMPARE_ORDER };

static enum comparison comparison(const char *word)
{
	static const struct {
		const char *word;
		enum comparison kind;
	} signs[] = {
		{ "==", COMPARE_EQUAL },    { "===", COMPARE_EQUAL },   { "=", COMPARE_EQUAL },
		{ "eq", COMPARE_EQUAL },    { "is", COMPARE_EQUAL },    { "equals", COMPARE_EQUAL },
		{ "!=", COMPARE_UNEQUAL },  { "<>", COMPARE_UNEQUAL },  { "ne", COMPARE_UNEQUAL },
		{ "neq", COMPARE_UNEQUAL }, { "=~", COMPARE_REGEX },    { "~", COMPARE_REGEX },
		{ "~*", COMPARE_REGEX },    { "matches", COMPARE_REGEX },
		{ ">", COMPARE_ORDER },     { ">=", COMPARE_ORDER },    { "<", COMPARE_ORDER },
		{ "<=", COMPARE_ORDER },    { "gt", COMPARE_ORDER },    { "ge", COMPARE_ORDER },
		{ "lt", COMPARE_ORDER },    { "le", COMPARE_ORDER },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(signs); i++)
		if (!strcmp(signs[i].word, word))
			return signs[i].kind;
	return COMPARE_NONE;
}

/* "path ~ ^/a" is "path_reg ^/a"; what has no such word takes -m. */
static void hint_regex(struct statement *st, const char *criterion, const char *next)
{
	size_t len = strcspn(criterion, "(,");
	char word[64];

	snprintf(word, sizeof(word), "%.*s_reg", (int)len, criterion);
	if (acl_word_known(span_of(word)) && !strchr(criterion, ','))
		stmt_hint(st, "a regular expression has a criterion of its own: write '%s%s %s'",
			  word, criterion + len, next);
	else
		stmt_hint(st, "a regular expression has a method of its own: write '%s -m reg %s'",
			  criterion, next);
}

/* How many words follow up to the end of the test. */
static int patterns_behind(const struct statement *st, bool anonymous)
{
	int i = st->at;

	while (i < st->count &&
	       !(anonymous && !st->words[i].quoted && !strcmp(st->words[i].text, "}")))
		i++;
	return i - st->at;
}

/* The word at st->at - 1 compares in another language: how it is written. */
static void hint_comparison(struct statement *st, enum comparison kind, int criterion,
			    bool anonymous)
{
	const char *text = st->words[criterion].text, *next;

	if (!patterns_behind(st, anonymous))
		return;
	next = st->words[st->at].text;
	switch (kind) {
	case COMPARE_NONE:
		break;
	case COMPARE_EQUAL:
		stmt_hint(st, "values are equal to one of the patterns that follow: leave it out, "
			      "as in '%s %s'", text, next);
		break;
	case COMPARE_UNEQUAL:
		if (anonymous)
			stmt_hint(st, "'!' negates: write '!{ %s %s }'", text, next);
		else
			stmt_hint(st, "an ACL is negated where it is used: leave it out, and write "
				      "'if !%s'", declared(st));
		break;
	case COMPARE_REGEX:
		hint_regex(st, text, next);
		break;
	case COMPARE_ORDER:
		stmt_hint(st, "numbers are compared by eq, gt, ge, lt and le, of what is a number: "
			      "'%s -m int gt %s'", text, next);
		break;
	}
}

/* -- patterns --------------------------------------------------------------------------- */

/* "10.0.0.*", "10.0.0.1-10.0.0.9" */
static bool is_like_network(const char *word)
{
	return strspn(word, "0123456789.*-:") == strlen(word) && strpbrk(word, "*-") &&
	       strchr(word, '.');
}

/* Not on an 'acl' line. */
static bool in_braces(const struct statement *st, int criterion)
{
	return strcmp(st->words[0].text, "acl") != 0 && criterion > 0;
}

void acl_hint_value(struct statement *st, const struct acl_test *test, int criterion)
{
	bool anonymous = in_braces(st, criterion);
	const char *word = st->words[st->at - 1].text;
	enum comparison kind = comparison(word);

	if (strchr(word, ','))
		stmt_hint(st, "patterns stand one after the other, without commas");
	else if (test->match == MATCH_IP && is_like_network(word))
		stmt_hint(st, "addresses are given one by one or as networks, as in '10.0.0.0/24'");
	else if (kind != COMPARE_NONE && test->match == MATCH_IP)
		hint_comparison(st, kind, criterion, anonymous);
	else if (kind == COMPARE_UNEQUAL)
		hint_comparison(st, kind, criterion, anonymous);
	else if (kind != COMPARE_NONE)
		stmt_hint(st, "numbers are compared by eq, gt, ge, lt and le");
}

/* A sign behind the criterion, with a pattern behind it, is hardly a pattern itself. A word of
 * letters may be one of a list, such as a language or a country: it stands alone in front of one
 * pattern, without flags. */
static bool stands_between(const struct statement *st, int criterion, bool letters, bool anonymous)
{
	int i, behind;

	for (i = criterion + 1; i < st->at - 1; i++)
		if (letters || st->words[i].text[0] != '-')
			return false;
	behind = patterns_behind(st, anonymous);
	return letters ? behind == 1 : behind > 0;
}

bool acl_hint_compared(struct statement *st, const struct acl_test *test, int criterion)
{
	const struct word *w = &st->words[st->at - 1];
	enum comparison kind = comparison(w->text);
	bool anonymous = in_braces(st, criterion), letters = isalpha((unsigned char)*w->text);
	struct location loc = stmt_location(st);

	if (w->quoted || kind == COMPARE_NONE || test->match != MATCH_STR ||
	    !stands_between(st, criterion, letters, anonymous))
		return false;
	if (letters)
		config_notice(st->cfg, &loc, "'%s' is a pattern here, as is what follows", w->text);
	else
		stmt_warning(st, st->at - 1,
			     "'%s' is a pattern here, which the value may be equal to", w->text);
	hint_comparison(st, kind, criterion, anonymous);
	return true;
}
