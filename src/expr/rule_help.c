/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what the tables of actions say of themselves: `penstock help deny`, `penstock help
 * http-request`. Called by main(), which knows the lists. */
#include "expr/rule_conf.h"

#include "base/tables.h"

static const struct action *row_in(const struct rule_list *list, const char *name)
{
	struct tables_walk walk = { 0 };
	const struct action *row;

	while ((row = tables_next(list->tables, &walk)))
		if (row->where & list->where && !strcmp(row->name, name))
			break;
	return row;
}

/* Does the list have these words as its name? They may be fewer than its own. */
static bool list_is(const struct rule_list *list, const char *const *words, int count)
{
	const char *name = list->name;
	int i;

	for (i = 0; i < count; i++) {
		size_t len = strcspn(name, " ");

		if (!len || strlen(words[i]) != len || memcmp(words[i], name, len) != 0)
			return false;
		name += len + (name[len] == ' ');
	}
	return true;
}

/* The row, and which of the lists have it, from this one on. */
static void print_action(FILE *out, const struct rule_list *const *lists, const struct action *row)
{
	const struct rule_list *const *l;
	const char *sep = "";

	fprintf(out, "action %s%s\n  in:      ", row->name, row->args ? "(...)" : "");
	for (l = lists; *l; l++) {
		if (row_in(*l, row->name) != row)
			continue;
		fprintf(out, "%s%s", sep, (*l)->name);
		sep = ", ";
	}
	fprintf(out, "\n  %s\n", row->help);
}

/* The row that the words mean in this list; NULL: they speak of another, or it has none. */
static const struct action *row_meant(const struct rule_list *list, const char *const *words, int count)
{
	return list_is(list, words, count - 1) ? row_in(list, words[count - 1]) : NULL;
}

static void print_names(FILE *out, const struct rule_list *list)
{
	struct tables_walk walk = { 0 };
	const struct action *row;
	const char *sep = "";

	fprintf(out, "actions of %s\n  ", list->name);
	while ((row = tables_next(list->tables, &walk))) {
		if (row_in(list, row->name) != row)
			continue;
		fprintf(out, "%s%s", sep, row->name);
		sep = ", ";
	}
	fputc('\n', out);
}

bool rule_help(FILE *out, const struct rule_list *const *lists, const char *const *words, int count,
	       bool any)
{
	const struct rule_list *const *l, *const *before;
	const struct action *row;
	bool found = false;

	for (l = lists; *l; l++) {
		row = row_meant(*l, words, count);
		for (before = lists; before < l && row_meant(*before, words, count) != row; before++)
			;
		if (!row || before < l)
			continue;
		if (any || found)
			fputc('\n', out);
		print_action(out, lists, row);
		found = true;
	}
	for (l = lists; *l && !found; l++) {
		if (!list_is(*l, words, count) && (count < 2 || !list_is(*l, words, count - 1)))
			continue;
		fputc('\n', out);
		print_names(out, *l);
		any = true;
	}
	return any || found;
}
