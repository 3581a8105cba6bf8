/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a crt-list: whatever they hold, words are not empty, and options parse or are
 * refused. */
#include "tls/list.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "tls/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_words(const char *const *words)
{
	for (; words && *words; words++)
		BUG_ON(!**words || strpbrk(*words, " \t\r\n[]"));
}

/* Files are not touched: words that name some are left out. */
static void obey(const char *const *option, struct arena *arena)
{
	struct tls_settings set = { 0 };
	struct err err;
	int args;

	for (; option && *option; option++) {
		args = tls_settings_word(*option, TLS_IN_LIST);
		if (args < 0 || strstr(*option, "file"))
			return;
		if (tls_settings_set(&set, *option, args ? option[1] : NULL, arena, &err))
			return;
		option += args;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new(1024);
	struct tls_list_words words;
	struct err err;

	if (arena && !tls_list_cut(arena, (const char *)data, size, &words, &err)) {
		BUG_ON(!words.crt && (words.options || words.filters));
		check_words(words.options);
		check_words(words.filters);
		obey(words.options, arena);
	}
	arena_free(&arena);
	return 0;
}
