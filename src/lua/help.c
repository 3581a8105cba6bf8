/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of the API say of themselves. Called by main for `help` and -dKlua, without a state
 * of Lua. */
#include "lua/help.h"

#include "lua/classes.h"

#include <string.h>
#include <strings.h>

/* "core.sleep", "TXN:set_var": methods have an object in front. */
static char joint(const struct class *class)
{
	return class->is_table ? '.' : ':';
}

static void say_row(FILE *out, const struct class *class, const struct class_method *m)
{
	fprintf(out, "%s%c%s(%s)", class->name, joint(class), m->name, m->args);
	if (m->gives)
		fprintf(out, ": %s", m->gives);
	fprintf(out, "\n    %s%s\n", m->help, m->flags & METHOD_WAITS ? " (may wait)" : "");
}

static bool say_class(FILE *out, const struct class *class, const char *wanted)
{
	const struct class_method *m;
	bool said = false;

	if (!wanted)
		fprintf(out, "%s\n    %s\n", class->name, class->help);
	for (m = class->methods; m && m->name; m++) {
		if (wanted && strcasecmp(m->name, wanted))
			continue;
		say_row(out, class, m);
		said = true;
	}
	return said || !wanted;
}

static bool say_names(FILE *out)
{
	const struct class *const *c;

	fputs("lua: scripts, see lua-load; penstock help lua.CLASS, lua.CLASS.FUNCTION\n   ", out);
	for (c = classes; *c; c++)
		if (c == classes || strcmp(c[-1]->name, (*c)->name) != 0)
			fprintf(out, " %s", (*c)->name);
	fputc('\n', out);
	return true;
}

bool lua_help(FILE *out, const char *word, bool any)
{
	const struct class *const *c;
	const char *function;
	bool said = false;
	size_t len;

	if (strncasecmp(word, "lua", 3) || (word[3] && word[3] != '.'))
		return false;
	if (any)
		fputc('\n', out);
	if (!word[3])
		return say_names(out);
	word += 4;
	len = strcspn(word, ".:");
	function = word[len] ? word + len + 1 : NULL;
	for (c = classes; *c; c++)
		if (strlen((*c)->name) == len && !strncasecmp((*c)->name, word, len))
			said = say_class(out, *c, function) || said;
	return said;
}

/* Classes of one name stand behind one another: tables of functions and their objects. */
static bool goes_on(const struct class *const *c)
{
	return c != classes && !strcmp(c[-1]->name, (*c)->name);
}

/* Does a class of the same name before it have the function? */
static bool told(const struct class *const *c, const struct class_method *m)
{
	const struct class_method *other;

	for (; goes_on(c); c--)
		for (other = c[-1]->methods; other && other->name; other++)
			if (!strcmp(other->name, m->name))
				return true;
	return false;
}

static bool has_functions(const struct class *const *c)
{
	return (*c)->methods && (*c)->methods->name;
}

static void dump_class(FILE *out, const struct class *const *c)
{
	const struct class_method *m;

	if (!goes_on(c))
		fprintf(out, "### %s\n\n%s\n\n", (*c)->name, (*c)->help);
	if (has_functions(c) && (!goes_on(c) || !has_functions(c - 1)))
		fputs("| function | returns | may wait | |\n|---|---|---|---|\n", out);
	for (m = (*c)->methods; m && m->name; m++)
		if (!told(c, m))
			fprintf(out, "| `%s%c%s(%s)` | %s | %s | %s |\n", (*c)->name, joint(*c), m->name,
				m->args, m->gives ? m->gives : "", m->flags & METHOD_WAITS ? "yes" : "",
				m->help);
	if (has_functions(c) && !(c[1] && goes_on(c + 1)))
		fputc('\n', out);
}

void lua_manual(FILE *out)
{
	const struct class *const *c;

	for (c = classes; *c; c++)
		dump_class(out, c);
}
