/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of the API say of themselves. Called by main for `help` and -dKlua, without a state
 * of Lua. */
#include "lua/help.h"

#include "base/bug.h"
#include "lua/classes.h"

#include <string.h>
#include <strings.h>

/* "core.sleep", "TXN:set_var": methods have an object in front. */
static char joint(const struct class *class)
{
	return class->is_table ? '.' : ':';
}

/* ---- types ---------------------------------------------------------------------------------- */

/* Arguments of one name have one type, whatever the function; where one has another, its function
 * stands before it. Strings stand in the last row: most are. */
static const struct {
	const char *type;
	const char *names; /* with a blank before and behind each */
} types[] = {
	{ "integer", " port level status size seconds milliseconds ms nb_args nice tos mark code class "
		     "weight maxconn start end timeout offset length " },
	{ "boolean", " ifexist noblank case_sensitive force " },
	{ "function", " function " },
	{ "table", " filter table environments words types headers " },
	{ "Reply", " reply " },
	{ "Channel", " channel " },
	{ "any value", " set_priv.value " },
	{ "string, integer or boolean", " set_var.value " },
	{ "string, or integer", " receive.pattern set_weight.weight " },
	{ "what parse_addr gave, or string", " match_addr.a match_addr.b " },
	{ "Map._str or the like", " new.method " },
	{ "string", " name text value key file regex by address reason separators prefix option usage "
		    "mode uri query path method body expression url dst pattern crt issuer ocsp sctl "
		    "filename " },
};

static bool has_name(const char *names, const char *name)
{
	const char *at = names;
	size_t len = strlen(name);

	while ((at = strstr(at, name)) && (at[-1] != ' ' || at[len] != ' '))
		at++;
	return at != NULL;
}

static const char *type_of(const char *function, const char *name)
{
	char own[80];
	unsigned i;

	snprintf(own, sizeof(own), "%s.%s", function, name);
	for (i = 0; i < ARRAY_LEN(types); i++)
		if (has_name(types[i].names, own))
			return types[i].type;
	for (i = 0; i < ARRAY_LEN(types); i++)
		if (has_name(types[i].names, name))
			return types[i].type;
	return NULL;
}

/* The next name of "name, { words } [, ifexist]", in a table "{ url = ... }" as well. */
static bool next_name(const char **args, char name[40])
{
	size_t len;

	*args += strcspn(*args, "abcdefghijklmnopqrstuvwxyz");
	len = strspn(*args, "abcdefghijklmnopqrstuvwxyz_");
	if (!len || len >= 40)
		return false;
	memcpy(name, *args, len);
	name[len] = 0;
	*args += len;
	if (!strncmp(*args, " = ", 3)) /* "timeout = ms": the word behind is an example */
		*args += 3 + strcspn(*args + 3, ",}");
	return true;
}

static void say_types(FILE *out, const struct class_method *m)
{
	const char *args = m->args, *between = "    types: ", *type;
	char name[40];

	while (next_name(&args, name)) {
		type = type_of(m->name, name);
		fprintf(out, "%s%s: %s", between, name, type ? type : "?");
		between = ", ";
	}
	if (*between == ',')
		fputc('\n', out);
}

/* ---- errors, places ------------------------------------------------------------------------- */

static const char *where_called(const struct class *class, const struct class_method *m)
{
	if (m->flags & METHOD_LOADING)
		return "while the files are read";
	return class->where ? class->where : "anywhere";
}

/* What raises an error of Lua, beside what the function's own line says. */
static void say_errors(FILE *out, const struct class *class, const struct class_method *m)
{
	const char *between = "    raises: ";

	if (*m->args) {
		fprintf(out, "%sa value of another type", between);
		between = ", ";
	}
	if (!class->is_table && !(m->flags & METHOD_LOADING)) {
		fprintf(out, "%san object of another class, or one that is over", between);
		between = ", ";
	}
	if (m->flags & METHOD_WAITS) {
		fprintf(out, "%sa wait where nobody may wait", between);
		between = ", ";
	}
	if (m->flags & METHOD_LOADING) {
		fprintf(out, "%sa call at another time", between);
		between = ", ";
	}
	if (*between == ',')
		fputc('\n', out);
}

/* ---- penstock help lua.CLASS.FUNCTION ------------------------------------------------------- */

static void say_row(FILE *out, const struct class *class, const struct class_method *m)
{
	fprintf(out, "%s%c%s(%s)", class->name, joint(class), m->name, m->args);
	if (m->gives)
		fprintf(out, ": %s", m->gives);
	fprintf(out, "\n    %s%s\n", m->help, m->flags & METHOD_WAITS ? " (may wait)" : "");
	say_types(out, m);
	fprintf(out, "    where: %s\n", where_called(class, m));
	say_errors(out, class, m);
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

static const char *notes(const struct class_method *m)
{
	if (m->flags & METHOD_LOADING)
		return "while files are read";
	return m->flags & METHOD_WAITS ? "may wait" : "";
}

/* The table of names; what stands under its function's name comes last. */
static void dump_types(FILE *out)
{
	unsigned i;

	fputs("### Types\n\nWhat an argument is called says which type it has.\n\n| type | arguments "
	      "|\n|---|---|\n", out);
	for (i = 0; i < ARRAY_LEN(types); i++)
		fprintf(out, "| %s |%.*s |\n", types[i].type, (int)strlen(types[i].names) - 1,
			types[i].names);
	fputc('\n', out);
}

static void dump_class(FILE *out, const struct class *const *c)
{
	const struct class_method *m;

	if (!goes_on(c))
		fprintf(out, "### %s\n\n%s\n\nWhere: %s.\n\n", (*c)->name, (*c)->help,
			(*c)->where ? (*c)->where : "anywhere");
	if (has_functions(c) && (!goes_on(c) || !has_functions(c - 1)))
		fputs("| function | returns | | |\n|---|---|---|---|\n", out);
	for (m = (*c)->methods; m && m->name; m++)
		if (!told(c, m))
			fprintf(out, "| `%s%c%s(%s)` | %s | %s | %s |\n", (*c)->name, joint(*c), m->name,
				m->args, m->gives ? m->gives : "", notes(m), m->help);
	if (has_functions(c) && !(c[1] && goes_on(c + 1)))
		fputc('\n', out);
}

void lua_manual(FILE *out)
{
	const struct class *const *c;

	dump_types(out);
	for (c = classes; *c; c++)
		dump_class(out, c);
}
