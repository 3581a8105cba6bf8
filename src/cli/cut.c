/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines into commands, commands into words, words to rows. Called by interpreter.c; pure
 * functions. */
#include "cli/cut.h"

#include "base/tables.h"

#include <string.h>

char *cli_cut_command(char *line)
{
	for (; *line; line++) {
		if (*line == '\\' && line[1]) {
			line++;
		} else if (*line == ';') {
			*line = 0;
			return line + 1;
		}
	}
	return NULL;
}

int cli_cut_words(char *text, char **words)
{
	int n = 0;

	for (;;) {
		char *to;

		while (*text == ' ' || *text == '\t')
			text++;
		if (!*text)
			break;
		if (n == CLI_WORDS_MAX)
			return -1;
		words[n++] = to = text;
		for (; *text && *text != ' ' && *text != '\t'; text++) {
			if (*text == '\\' && text[1])
				text++;
			*to++ = *text;
		}
		if (*text)
			text++;
		*to = 0;
	}
	words[n] = NULL;
	return n;
}

/* How many of the words the row has, if it has them all in this order; else 0. */
static int cli_matching_words(const struct cli_command *row, char **words)
{
	const char *w = row->words;
	int n = 0;

	for (;;) {
		size_t len = strcspn(w, " ");

		if (!words[n] || strlen(words[n]) != len || memcmp(words[n], w, len))
			return 0;
		n++;
		w += len;
		if (!*w)
			return n;
		w++;
	}
}

const struct cli_command *cli_find(const struct tables *tables, char **words, int *count)
{
	const struct cli_command *best = NULL, *row;
	struct tables_walk walk = { 0 };
	int n;

	*count = 0;
	while ((row = tables_next(tables, &walk))) {
		n = cli_matching_words(row, words);
		if (n > *count || (n && n == *count && best->flags & CLI_LATER)) {
			*count = n;
			best = row;
		}
	}
	return best;
}
