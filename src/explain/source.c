/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of configuration files (explain/source.h). Rules know their file and line, and not their
 * text: it is read again when somebody wants to see it. The file that was asked for last is kept.
 */
#include "explain/source.h"

#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kept, *kept_name, shown[1024];

static char *file_read(const char *name)
{
	FILE *in = fopen(name, "re");
	char *text = NULL;
	size_t size = 0;

	if (!in)
		return NULL;
	if (getdelim(&text, &size, 0, in) < 0) {
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

static const char *file_text(const char *name)
{
	if (kept_name && !strcmp(kept_name, name))
		return kept;
	source_forget();
	kept = file_read(name);
	kept_name = strdup(name);
	return kept;
}

/* A '#' that begins a comment: outside of quotes, not escaped. */
static size_t comment_at(const char *line, size_t len)
{
	char quote = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (line[i] == '\\' && quote != '\'')
			i++;
		else if (quote)
			quote = line[i] == quote ? 0 : quote;
		else if (line[i] == '"' || line[i] == '\'')
			quote = line[i];
		else if (line[i] == '#')
			return i;
	}
	return len;
}

static size_t append(size_t at, const char *line, size_t len)
{
	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (at && at + 1 < sizeof(shown))
		shown[at++] = ' ';
	if (len > sizeof(shown) - 1 - at)
		len = sizeof(shown) - 1 - at;
	memcpy(shown + at, line, len);
	return at + len;
}

const char *source_line(const struct location *loc)
{
	const char *text = loc->file ? file_text(loc->file) : NULL;
	unsigned line;
	size_t len, at = 0;

	for (line = 1; text && line < loc->line; line++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || !*text || !loc->line)
		return NULL;
	for (;;) {
		len = strcspn(text, "\n");
		if (!len || text[len - 1] != '\\' || !text[len])
			break;
		at = append(at, text, len - 1);
		text += len + 1;
	}
	at = append(at, text, comment_at(text, len));
	while (at && (shown[at - 1] == ' ' || shown[at - 1] == '\t' || shown[at - 1] == '\r'))
		at--;
	shown[at] = 0;
	return shown;
}

const char *source_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

void source_forget(void)
{
	free(kept);
	free(kept_name);
	kept = kept_name = NULL;
}
