/* SPDX-License-Identifier: BSD-2-Clause */
/* `penstock help` for what is part of the language, but of no row: a table each. Called by main().
 */
#include "cli/language_help.h"

#include "base/bug.h"
#include "config/predicate.h"
#include "expr/expr.h"
#include "stick/table.h"

#include <ctype.h>
#include <string.h>

struct line {
	const char *word, *args, *text;
};

static const struct line conditions[] = {
	{ "if", "<condition>",
	  "the line holds where the condition does: ACLs one after the other, all of "
	  "which must hold; 'or' stands between alternatives" },
	{ "unless", "<condition>", "the line holds where the condition does not" },
	{ "or", "", "between alternatives of a condition; '||' is the same" },
	{ "||", "", "between alternatives of a condition; 'or' is the same" },
	{ "!", "", "in front of an ACL: it must not hold" },
	{ "{", "<criterion> [<flag>...] [<pattern>...] }",
	  "an ACL without a name, inside a condition" },
};

static const struct line directives[] = {
	{ ".if", "<condition>", "the lines up to .elif, .else or .endif are read if it holds" },
	{ ".elif", "<condition>", "the same where none above held" },
	{ ".else", "", "the lines up to .endif are read where none above held" },
	{ ".endif", "", "ends what .if began" },
	{ ".diag", "\"text\"", "shows the text with -dD only" },
	{ ".notice", "\"text\"", "shows the text" },
	{ ".warning", "\"text\"", "shows the text as a warning" },
	{ ".alert", "\"text\"", "shows the text as an error: the file is refused" },
};

static const struct line methods[] = {
	{ "found", "", "is there a value at all? It has no patterns" },
	{ "bool", "", "is the number not 0? It has no patterns" },
	{ "int", "", "numbers: eq, gt, ge, lt, le, or ranges as 80:90" },
	{ "ip", "", "addresses and networks" },
	{ "bin", "", "bytes, as hexadecimal digits" },
	{ "len", "", "the length of the value, as a number" },
	{ "str", "", "the whole value" },
	{ "beg", "", "its beginning" },
	{ "sub", "", "a part of it" },
	{ "reg", "", "a regular expression" },
	{ "end", "", "its end" },
	{ "dir", "", "a part between slashes" },
	{ "dom", "", "a part between dots" },
};

static const struct line flags[] = {
	{ "-i", "", "capital and small letters are the same in the patterns that follow" },
	{ "-f", "<file>", "patterns out of a file, one a line" },
	{ "-m", "<method>",
	  "how patterns are compared: found, bool, int, ip, bin, len, str, beg, sub, reg, "
	  "end, dir, dom" },
	{ "-n", "", "names of hosts are not looked up" },
	{ "-M", "", "the file is that of a map: the first word of a line is the pattern" },
	{ "-u", "<id>", "the number of the ACL, for the stats socket" },
	{ "--", "", "ends the flags: what follows is a pattern" },
};

static const struct line services[] = {
	{ "prometheus-exporter", "", "of 'http-request use-service': answers with the metrics" },
};

static const struct line checks[] = {
	{ "UNK", "", "not known" },
	{ "INI", "", "the first check is not over" },
	{ "SOCKERR", "", "a socket could not be made" },
	{ "L4OK", "", "connected" },
	{ "L4TOUT", "", "not connected in time" },
	{ "L4CON", "", "refused, or not reachable" },
	{ "L6OK", "", "the handshake of TLS is done" },
	{ "L6TOUT", "", "the handshake of TLS was not done in time" },
	{ "L6RSP", "", "the handshake of TLS failed" },
	{ "L7OK", "", "the answer is right" },
	{ "L7OKC", "", "the answer is right for a while: 404 with disable-on-404" },
	{ "L7TOUT", "", "no answer in time" },
	{ "L7RSP", "", "a wrong answer" },
	{ "L7STS", "", "the answer says that something is wrong" },
	{ "HANA", "", "seen in the traffic: observe" },
	{ "PROCERR", "", "the command failed" },
	{ "PROCTOUT", "", "the command did not end in time" },
	{ "PROCOK", "", "the command says that all is well" },
};

static const struct {
	const char *what;
	const struct line *lines;
	size_t count;
} kinds[] = {
	{ "of conditions", conditions, ARRAY_LEN(conditions) },
	{ "a directive, at the beginning of a line", directives, ARRAY_LEN(directives) },
	{ "a flag of ACLs", flags, ARRAY_LEN(flags) },
	{ "a service", services, ARRAY_LEN(services) },
	{ "the result of a health check", checks, ARRAY_LEN(checks) },
};

static bool print(FILE *out, const struct line *lines, size_t count, const char *word,
		  const char *front, const char *what, bool any)
{
	const struct line *l;

	for (l = lines; l < lines + count; l++) {
		if (strcmp(l->word, word) != 0)
			continue;
		fprintf(out, "%s%s%s%s%s\n  %s\n  %s\n", any ? "\n" : "", front, l->word,
			*l->args ? " " : "", l->args, what, l->text);
		return true;
	}
	return false;
}

/* Names of fetches and converters that tell of the data. */
static void print_asked(FILE *out, const char *name)
{
	static const char *const fronts[] = { "sc_", "sc_get_", "src_", "src_get_", "table_" };
	const char *comma = "  asked by: ";
	char word[64];
	size_t i;

	for (i = 0; i < ARRAY_LEN(fronts); i++) {
		snprintf(word, sizeof(word), "%s%s", fronts[i], name);
		if (!expr_fetch_find(span_of(word)) && !expr_converter_find(span_of(word)))
			continue;
		fprintf(out, "%s%s", comma, word);
		comma = ", ";
	}
	if (*comma == ',')
		fputc('\n', out);
}

static bool help_stick(FILE *out, const char *word, bool any)
{
	static const char *const args[] = { [STICK_NONE] = "", [STICK_PERIOD] = "(<period>)",
					    [STICK_ARRAY] = "(<number>)",
					    [STICK_BOTH] = "(<number>,<period>)" };
	const struct stick_data_type *type;

	for (type = stick_data_types; type < stick_data_types + STICK_DATA; type++) {
		if (strcmp(type->name, word) != 0)
			continue;
		fprintf(out, "%s%s%s\n  what a stick table can store for a key: 'store %s%s'\n",
			any ? "\n" : "", word, args[type->argument], word, args[type->argument]);
		print_asked(out, word);
		return true;
	}
	return false;
}

static bool help_predicate(FILE *out, const char *word, bool any)
{
	const struct predicate *p = predicate_find(word, strlen(word));

	if (!p)
		return false;
	fprintf(out, "%s%s\n  a predicate of .if and .elif\n  %s\n", any ? "\n" : "", p->name,
		p->need);
	return true;
}

bool language_help(FILE *out, const char *const *words, int count, bool any)
{
	bool known = false;
	size_t i;

	if (count == 2 && !strcmp(words[0], "-m"))
		return print(out, methods, ARRAY_LEN(methods), words[1], "-m ",
			     "how an ACL compares with its patterns", any);
	for (i = 0; i < ARRAY_LEN(kinds) && count == 1; i++)
		known = print(out, kinds[i].lines, kinds[i].count, words[0], "", kinds[i].what,
			      any || known) || known;
	if (count != 1)
		return false;
	known = help_stick(out, words[0], any || known) || known;
	return help_predicate(out, words[0], any || known) || known;
}

const char *language_bare(const char *word, char *buf, size_t size)
{
	bool sample = word[0] == '%' && word[1] == '[';
	size_t len, i;

	word += sample ? 2 : 0;
	len = strcspn(word, "(,]");
	if (!len || len >= size)
		return NULL;
	for (i = 0; i < len; i++)
		buf[i] = (char)tolower((unsigned char)word[i]);
	buf[len] = 0;
	if (!sample && !word[len] && !strcmp(buf, word))
		return NULL; /* as it stands */
	/* What has arguments is spelled as it is. */
	if (word[len])
		memcpy(buf, word, len);
	return buf;
}
