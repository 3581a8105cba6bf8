/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains a termination code, letter by letter (manual 8.5). Called by main() for `penstock help`.
 * The first letter's meanings are the rows of ends.def. */
#include "stream/end_help.h"

#include "base/bug.h"

#include <string.h>

struct letter {
	char letter;
	const char *meaning;
};

static const struct letter causes[] = {
#define REASON(name, letter, error, status, text) { letter, text },
#include "stream/ends.def"
#undef REASON
};

static const struct letter phases[] = {
	{ 'R', "the request was not complete yet" },
	{ 'Q', "it waited in a queue for a free slot of a server" },
	{ 'C', "the connection to the server was not there yet" },
	{ 'H', "the server had not answered with complete headers yet" },
	{ 'D', "data were passing" },
	{ 'L', "the last data were on their way to the client" },
	{ 'T', "it was held in the tar pit" },
	{ '-', "the session had ended in the usual way" },
};

static const struct letter cookies[] = {
	{ 'N', "the client had no cookie of a server" },
	{ 'I', "its cookie names no server that is known" },
	{ 'D', "the server of its cookie is down" },
	{ 'V', "its cookie names a server that can be used" },
	{ 'E', "its cookie had expired" },
	{ 'O', "its cookie was too old" },
	{ 'U', "its cookie was there, but another rule chose the server" },
	{ '-', "no cookie is looked for" },
};

static const struct letter cookie_answers[] = {
	{ 'N', "the server sent no cookie, and none was put in" },
	{ 'I', "a cookie was put into the answer" },
	{ 'U', "the cookie's date was brought up to date" },
	{ 'P', "the server sent a cookie, which passed as it was" },
	{ 'R', "the server's cookie was rewritten" },
	{ 'D', "the server's cookie was taken out" },
	{ '-', "no cookie is put in" },
};

static const struct {
	const char *what;
	const struct letter *rows;
	size_t count;
} places[] = {
	{ "why it ended", causes, ARRAY_LEN(causes) },
	{ "what was going on", phases, ARRAY_LEN(phases) },
	{ "the cookie of the client", cookies, ARRAY_LEN(cookies) },
	{ "the cookie of the answer", cookie_answers, ARRAY_LEN(cookie_answers) },
};

static bool letter_known(size_t place, char letter)
{
	for (size_t i = 0; i < places[place].count; i++)
		if (places[place].rows[i].letter == letter)
			return true;
	return false;
}

bool end_help(FILE *out, const char *word, bool any)
{
	size_t len = strlen(word);

	if (len != 2 && len != 4)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!letter_known(i, word[i]))
			return false;
	fprintf(out, "%stermination code %s of log lines\n", any ? "\n" : "", word);
	for (size_t i = 0; i < len; i++) {
		fprintf(out, "  %c  %s:\n", word[i], places[i].what);
		for (size_t n = 0; n < places[i].count; n++)
			if (places[i].rows[n].letter == word[i])
				fprintf(out, "       %s\n", places[i].rows[n].meaning);
	}
	return true;
}
