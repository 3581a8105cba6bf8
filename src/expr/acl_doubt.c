/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of ACLs that are right, but hardly meant so: what people write who know shells, other
 * languages, or other fetches. Told as notices, for no pattern is a mistake; what the reference
 * warns of is a warning. Called by acls.c for the patterns of a line, never for those of files. */
#include "expr/acl_doubt.h"

#include "config/config.h"
#include "expr/acl_conf.h"
#include "expr/acl_hint.h"
#include "expr/expr.h"
#include "expr/pattern.h"
#include "http/message.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What the values look like that the patterns are compared with. */
enum meant { MEANT_ANY, MEANT_PATH, MEANT_HOST, MEANT_METHOD };

static enum meant meant_by(const struct acl_test *test)
{
	const char *name = expr_fetch_name(test->expr);
	const struct expr_arg *arg = expr_argument(test->expr, 0);

	if (expr_has_converters(test->expr))
		return MEANT_ANY;
	if (!strcmp(name, "path"))
		return MEANT_PATH;
	if (!strcmp(name, "method"))
		return MEANT_METHOD;
	if (!strcmp(name, "ssl_fc_sni") || !strcmp(name, "req.ssl_sni"))
		return MEANT_HOST;
	if ((!strcmp(name, "req.hdr") || !strcmp(name, "req.fhdr") || !strcmp(name, "hdr")) &&
	    arg && arg->type == ARG_STR && span_equal_nocase(arg->str, span_of("host")))
		return MEANT_HOST;
	return MEANT_ANY;
}

static bool in_list(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

/* "hdr (host) x": the reference warns of it, too, and takes "--" for a word that it is meant. */
static bool doubt_bracket(struct statement *st, int criterion, const char *word)
{
	const char *name = st->words[criterion].text;

	if (*word != '(' || st->at - 1 != criterion + 1 || strchr(name, '('))
		return false;
	stmt_warning(st, st->at - 1, "'%s' is a pattern here", word);
	stmt_hint(
		st,
		"no blank stands in front of arguments: '%s%s'; '--' in front of the pattern says "
		"that it is meant",
		name, word);
	return true;
}

/* A comma behind it: of a list, or where the value has none. */
static bool doubt_comma(struct statement *st, const char *word, enum meant meant)
{
	struct location loc = stmt_location(st);
	size_t len = strlen(word);
	bool more = st->at < st->count && strcmp(st->words[st->at].text, "}") != 0;

	if (len < 2 || (meant == MEANT_METHOD ? !strchr(word, ',') :
			word[len - 1] != ',' || (!more && meant == MEANT_ANY)))
		return false;
	config_notice(st->cfg, &loc, "the ',' is part of the pattern '%s'", word);
	stmt_hint(st, "patterns stand one after the other, without commas");
	return true;
}

static bool doubt_flag(struct statement *st, const char *word)
{
	static const char *const flags[] = { "-i", "-n", "-f", "-m", "-M", NULL };
	struct location loc = stmt_location(st);

	if (!in_list(flags, word))
		return false;
	config_notice(st->cfg, &loc,
		      "'%s' is a pattern here: flags stand in front of the patterns", word);
	return true;
}

/* "*.php", and a path with a star behind its slash: wildcards of shells. */
static bool doubt_wildcard(struct statement *st, const char *word, enum meant meant)
{
	struct location loc = stmt_location(st);
	size_t len = strlen(word);
	bool front = *word == '*', back = len && word[len - 1] == '*';

	if (len < 2 || (!front && !back) || (meant != MEANT_PATH && meant != MEANT_HOST))
		return false;
	config_notice(st->cfg, &loc, "the '*' of '%s' stands for itself", word);
	if (front && back)
		stmt_hint(st, "what is inside of a value is asked by '-m sub'");
	else if (front)
		stmt_hint(st, "what a value ends with is asked by '-m end %s'", word + 1);
	else
		stmt_hint(st, "what a value begins with is asked by '-m beg %.*s'", (int)len - 1,
			  word);
	return true;
}

static bool doubt_path(struct statement *st, const char *word, enum match match)
{
	struct location loc = stmt_location(st);

	if (strchr(word, '?')) {
		config_notice(st->cfg, &loc, "no path has a '?', as '%s': it ends in front of it",
			      word);
		stmt_hint(st, "'query' and 'urlp' look at what is behind");
		return true;
	}
	if ((match != MATCH_STR && match != MATCH_BEG) || *word == '/' || !strcmp(word, "*"))
		return false;
	config_notice(st->cfg, &loc, "no path begins as '%s': its first character is '/'", word);
	return true;
}

static bool doubt_host(struct statement *st, const char *word)
{
	struct location loc = stmt_location(st);

	if (!strchr(word, '/'))
		return false;
	config_notice(st->cfg, &loc, "no name of a host has a '/', as '%s'", word);
	stmt_hint(st, "the name stands alone, without 'http://' and without a path");
	return true;
}

static bool doubt_method(struct statement *st, const char *word)
{
	struct location loc = stmt_location(st);

	if (!islower((unsigned char)*word))
		return false;
	config_notice(st->cfg, &loc,
		      "no method is '%s': methods are written in capital letters", word);
	return true;
}

/* A text that is compared as a whole, or by its beginning, its end or its inside. */
static bool compares_text(enum match match)
{
	return match == MATCH_STR || match == MATCH_BEG || match == MATCH_END || match == MATCH_SUB;
}

static bool doubt_value(struct statement *st, const char *word, const struct acl_test *test)
{
	enum meant meant = meant_by(test);

	if (doubt_comma(st, word, meant) || doubt_flag(st, word))
		return true;
	if (meant == MEANT_METHOD)
		return doubt_method(st, word);
	if (!compares_text(test->match))
		return false;
	return doubt_wildcard(st, word, meant) ||
	       (meant == MEANT_PATH && doubt_path(st, word, test->match)) ||
	       (meant == MEANT_HOST && doubt_host(st, word));
}

/* A yes or no has no patterns: what stands there changes nothing. */
static void doubt_ignored(struct statement *st, const char *word, const struct acl_test *test)
{
	static const char *const yes[] = { "1", "true", "TRUE", "on", "yes", NULL };
	struct location loc = stmt_location(st);

	if (test->match == MATCH_BOOL && in_list(yes, word)) {
		stmt_note(st, st->at - 1, "'%s' is not looked at: it holds when the value is true",
			  word);
		return;
	}
	config_notice(st->cfg, &loc, "'%s' is not looked at: -m %s has no patterns", word,
		      match_name(test->match));
	if (test->match == MATCH_BOOL)
		stmt_hint(st, "it holds when the value is true; '!' negates it");
}

bool acl_doubt_pattern(struct statement *st, int criterion, const struct acl_test *test)
{
	const char *word = st->words[st->at - 1].text;

	if (!match_has_patterns(test->match)) {
		doubt_ignored(st, word, test);
		return true;
	}
	if (doubt_bracket(st, criterion, word))
		return true;
	if (st->words[st->at - 1].quoted || st->at < 2)
		return false;
	return acl_hint_compared(st, test, criterion) || doubt_value(st, word, test);
}

/* -- words between tests ------------------------------------------------------------------ */

/* Is a test, or a condition, behind? */
static bool joins(const struct statement *st, int i)
{
	const char *word = st->words[i].text;
	bool sign = !strcmp(word, "||") || !strcmp(word, "&&");

	if (st->words[i].quoted || i + 1 >= st->count ||
	    (!sign && strcasecmp(word, "or") != 0 && strcasecmp(word, "and") != 0))
		return false;
	return sign || st->words[i + 1].text[0] == '{' || cond_is_test(st->words[i + 1].text);
}

bool acl_doubt_words(struct statement *st)
{
	struct location loc;
	const char *word;

	if (!joins(st, st->at - 1))
		return false;
	word = st->words[st->at - 1].text;
	loc = stmt_location(st);
	config_notice(st->cfg, &loc, "'%s' and what follows are patterns here, not further tests",
		      word);
	if (*word == '|' || tolower((unsigned char)*word) == 'o')
		stmt_hint(st,
			  "a second line 'acl' of the same name is an alternative; conditions take "
			  "'or' between ACLs");
	else
		stmt_hint(st,
			  "each test is an ACL of its own; a condition that names both asks for "
			  "both");
	return true;
}
