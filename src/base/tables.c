/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of tables of rows, found by name. Called while the configuration is read, by commands and
 * for help; never while traffic flows. */
#include "base/tables.h"

#include "base/err.h"

static const char *row_name(const void *row)
{
	return *(const char *const *)row;
}

static const void *row_at(const struct tables *tables, const void *table, size_t n)
{
	return (const char *)table + n * tables->row_size;
}

const void *tables_next(const struct tables *tables, struct tables_walk *walk)
{
	const void *row;

	for (; walk->table < TABLES_MAX && tables->table[walk->table]; walk->table++) {
		row = row_at(tables, tables->table[walk->table], walk->row++);
		if (row_name(row))
			return row;
		walk->row = 0;
	}
	return NULL;
}

const void *tables_find(const struct tables *tables, struct span name)
{
	struct tables_walk walk = { 0 };
	const void *row;

	while ((row = tables_next(tables, &walk)))
		if (span_equal(name, span_of(row_name(row))))
			break;
	return row;
}

static bool is_taken(const struct tables *tables, const char *name)
{
	struct tables_walk walk = { 0 };
	const void *row;

	while ((row = tables_next(tables, &walk)))
		if (!strcmp(row_name(row), name) && !(tables->yields && tables->yields(row)))
			return true;
	return false;
}

/* Row n of a table that is to be added: it must not be there, nor earlier in the table. */
static int check_row(const struct tables *tables, const void *table, size_t n, struct err *err)
{
	const char *name = row_name(row_at(tables, table, n));
	size_t i;

	if (is_taken(tables, name))
		return err_set(err, "the %s '%s' cannot be added: there is one of this name",
			       tables->what, name);
	for (i = 0; i < n; i++)
		if (!strcmp(row_name(row_at(tables, table, i)), name))
			return err_set(err, "the %s '%s' cannot be added twice", tables->what, name);
	return 0;
}

int tables_add(struct tables *tables, const void *table, struct err *err)
{
	unsigned count = 0;
	size_t n;

	for (n = 0; row_name(row_at(tables, table, n)); n++)
		if (check_row(tables, table, n, err))
			return -1;
	while (count < TABLES_MAX && tables->table[count])
		count++;
	if (count == TABLES_MAX)
		return err_set(err, "the %s '%s' cannot be added: there are %d tables already",
			       tables->what, row_name(table), TABLES_MAX);
	tables->table[count] = table;
	return 0;
}

const char *tables_nearest(const struct tables *tables, struct span name)
{
	struct tables_walk walk = { 0 };
	const char *found = NULL;
	unsigned limit, distance;
	const void *row;
	char word[64];

	if (name.len >= sizeof(word))
		name.len = sizeof(word) - 1;
	memcpy(word, name.ptr, name.len);
	word[name.len] = 0;
	limit = name.len < 4 ? 1 : 2;
	while ((row = tables_next(tables, &walk))) {
		distance = str_distance(word, row_name(row), limit);
		if (distance > limit)
			continue;
		found = row_name(row);
		if (!distance)
			break;
		limit = distance - 1;
	}
	return found;
}
