/* SPDX-License-Identifier: BSD-2-Clause */
/* Cures for conditions: what people write who know other languages, or leave braces and blanks out.
 */
#include "expr/cond_hint.h"

#include "base/str.h"
#include "config/odd.h"
#include "config/suggest.h"
#include "expr/acl_conf.h"
#include "proxy/proxy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool hint_operator(struct statement *st, const char *word)
{
	if (!strcasecmp(word, "and") || !strcmp(word, "&&") || !strcmp(word, "&") ||
	    !strcmp(word, ","))
		stmt_hint(st, "ACLs that stand one after the other must all hold: leave '%s' out",
			  word);
	else if (!strcasecmp(word, "not"))
		stmt_hint(st, "'!' in front of an ACL negates it");
	else if (!strcmp(word, "|"))
		stmt_hint(st, "'or' or '||' stands between alternatives");
	else if (*word == '(' || *word == ')')
		stmt_hint(st, "conditions have no parentheses: write the alternatives out, as in "
			      "'a b or a c'");
	else if (!strcasecmp(word, "if") || !strcasecmp(word, "unless"))
		stmt_hint(st, "'%s' stands once, in front of the condition", word);
	else
		return false;
	return true;
}

/* "{path_beg" or "{ssl_fc}" */
static void hint_braces(struct statement *st, const char *word, const char *bang)
{
	size_t len = strlen(word);
	bool closed = len > 2 && word[len - 1] == '}';

	stmt_hint(st, "braces are words of their own: blanks belong around them, as in %s{ %.*s %s",
		  bang, (int)(closed ? len - 2 : len - 1), word + 1, closed ? "}" : "... }");
}

bool cond_hint_word(struct statement *st, const char *word, bool negated)
{
	const char *bang = negated ? "!" : "";

	if (hint_operator(st, word))
		return true;
	if (word[0] == '{' && word[1])
		hint_braces(st, word, bang);
	else if (cond_is_test(word) && !stmt_peek(st))
		stmt_hint(st, "a test stands in braces: %s{ %s }", bang, word);
	else if (cond_is_test(word))
		stmt_hint(st, "a test stands in braces: %s{ %s %s ... }", bang, word,
			  stmt_peek(st));
	else
		return false;
	return true;
}

void cond_hint_names(struct statement *st, const struct proxy *proxy, const char *name)
{
	const char *const *names = acl_names(st, proxy);
	struct suggestion s = suggest_for(st->cfg, name);
	char memory[300];
	struct text t;
	int i;

	for (i = 0; names[i]; i++)
		suggest_name(&s, names[i]);
	for (i = 0; acl_predefined[i].name; i++)
		suggest_name(&s, acl_predefined[i].name);
	if (suggest_end(&s))
		return;
	text_init(&t, memory, sizeof(memory));
	for (i = 0; names[i]; i++)
		text_printf(&t, "%s%s", i ? ", " : "", names[i]);
	if (i && !t.cut)
		stmt_hint(st, "the lines above declare: %s", memory);
	else if (!i)
		stmt_hint(st, "no line 'acl' stands above in this section");
}

void cond_hint_brace(struct statement *st, int open)
{
	const char *word;
	struct odd odd;
	size_t len;
	int i;

	for (i = open + 1; i < st->count; i++) {
		word = st->words[i].text;
		len = strlen(word);
		if (st->words[i].quoted || len < 2 || word[len - 1] != '}')
			continue;
		if (odd_find(word, len, &odd) && odd.at + odd.len + 1 == len) {
			stmt_hint(st, "'%.*s' is followed by %s: write %s", (int)odd.at, word,
				  odd.name, odd.plain);
			return;
		}
		stmt_hint(st, "a blank belongs in front of it: '%.*s }'", (int)len - 1, word);
		return;
	}
}

bool cond_hint_if(struct statement *st, const struct proxy *proxy, const char *word)
{
	static const char *const others[] = { "when", "where", "while", "iff", "onlyif" };
	bool begins = *word == '{' || *word == '!' || acl_of(proxy, word);
	size_t i;

	if (begins)
		stmt_hint(st, "a condition begins with 'if': write 'if %s%s'", word,
			  word[1] ? "" : " ...");
	if (!strcasecmp(word, "if") || !strcasecmp(word, "unless"))
		stmt_hint(st, "it is written in small letters");
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcasecmp(word, others[i]))
			stmt_hint(st, "did you mean 'if'?");
	return begins;
}

bool cond_hint_elsewhere(struct statement *st, const struct proxy *proxy, const char *name)
{
	const struct proxies *all = config_data(st->cfg, &proxy_module);
	const struct acl *acl;
	const struct proxy *px;

	list_for_each(px, &all->list, node) {
		acl = px == proxy ? NULL : acl_of(px, name);
		if (!acl || !acl->tests)
			continue;
		stmt_hint(st,
			  "the one of '%s' holds in its own section: declare it here, too (%s:%u)",
			  px->name, acl->tests->loc.file, acl->tests->loc.line);
		return true;
	}
	return false;
}

/* The status of an answer: "deny 403", "deny with status 403", "deny deny-status 403". */
static bool hint_status(struct statement *st)
{
	static const char *const others[] = { "with", "status", "code", "deny-status",
					      "status_code" };
	const char *action = st->count > 1 ? st->words[1].text : "", *word = "";
	bool meant = false;
	int at, status;
	size_t i;

	for (at = st->at - 1; at < st->count; at++) {
		word = st->words[at].text;
		if (strlen(word) == 3 && strspn(word, "0123456789") == 3)
			break;
		for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			meant |= at < st->at + 1 && !strcmp(word, others[i]);
	}
	status = at < st->count ? atoi(word) : 0;
	if (!meant && (at != st->at - 1 || status < 100))
		return false;
	if (!strcmp(action, "deny") || !strcmp(action, "tarpit"))
		stmt_hint(st, "its status is given by 'deny_status': write '%s deny_status %d'",
			  action, status ? status : 403);
	else if (!strcmp(action, "return"))
		stmt_hint(st, "write 'return status %d'", status ? status : 200);
	else
		return false;
	return true;
}

void cond_hint_value(struct statement *st)
{
	static const char *const actions[] = { "set-", "add-", "replace-", "redirect", "return" };
	const char *action = st->count > 1 ? st->words[1].text : "";
	size_t i;

	if (hint_status(st))
		return;
	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(action, "return") && st->at - 1 > 1 && !strcmp(actions[i], action))
			stmt_hint(st, "'return' takes status, content-type, file, lf-file, string, "
				      "lf-string, errorfile, errorfiles, default-errorfiles and hdr; "
				      "values with blanks are quoted");
		else if (!strncmp(action, actions[i], strlen(actions[i])) && st->at - 1 > 2)
			stmt_hint(st, "quote the value if blanks are part of it");
}
