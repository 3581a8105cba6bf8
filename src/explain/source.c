/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of configuration files (explain/source.h): rules know their file and line, and the
 * configuration has the text. */
#include "explain/source.h"

#include "config/config.h"
#include "config/lines.h"

#include <string.h>

static char shown[1024];

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
	struct location at_line = *loc;
	const char *text = config_line(&at_line);
	size_t len, at = 0;

	if (!text)
		return NULL;
	while ((len = strlen(text)) && text[len - 1] == '\\') {
		at = append(at, text, len - 1);
		at_line.line++;
		text = config_line(&at_line);
		if (!text)
			text = "";
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
