/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of patterns: one a line; in maps, the first word of a line, and a value behind it
 * (manual 7.1 "-f", 7.3.1 "map"). As later manuals have it, "opt@" in front says that the file may
 * be missing, and "virt@" that there is none: a list that begins empty. Called while the
 * configuration is read. */
#include "expr/pattern_file.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line without its end and what stands before its first character; NULL: nothing left. */
static char *file_line(char *line)
{
	line[strcspn(line, "\r\n")] = 0;
	if (*line == '#')
		return NULL;
	line += strspn(line, " \t");
	return *line ? line : NULL;
}

/* Cuts the key off and returns the value behind it, without blanks around it. */
static char *file_value(char *line)
{
	char *value = line + strcspn(line, " \t"), *end;

	if (*value)
		*value++ = 0;
	value += strspn(value, " \t");
	end = value + strlen(value);
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = 0;
	return value;
}

static int file_add(const struct pattern_file *file, char *line, unsigned number, struct err *err)
{
	char *text = file_line(line), *value = NULL;

	if (!text)
		return 0;
	if (file->values)
		value = file_value(text);
	return file->add(file, text, value, number, err);
}

static int file_read(const struct pattern_file *file, FILE *f, unsigned *number, struct err *err)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int result = 0;

	while (!result && (len = getline(&line, &room, f)) >= 0) {
		++*number;
		if (memchr(line, 0, (size_t)len))
			result = err_set(err, "a NUL byte is no part of a pattern");
		else
			result = file_add(file, line, *number, err);
	}
	if (!result && !feof(f)) { /* an error, or no memory for the line */
		++*number;
		result = err_set(err, "cannot read: %s", strerror(errno));
	}
	free(line);
	return result;
}

int pattern_file_read(const struct pattern_file *file, const char *path, struct err *err)
{
	bool optional = !strncmp(path, "opt@", 4);
	unsigned number = 0;
	FILE *f;
	int result;

	if (!strncmp(path, "virt@", 5))
		return 0;
	f = fopen(path + (optional ? 4 : 0), "re");
	if (!f && optional && errno == ENOENT)
		return 0;
	if (!f)
		return err_set(err, "cannot open the file of patterns '%s': %s", path,
			       strerror(errno));
	result = file_read(file, f, &number, err);
	fclose(f);
	return result ? err_prefix(err, "%s:%u", path, number) : 0;
}
