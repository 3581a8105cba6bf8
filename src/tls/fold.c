/* SPDX-License-Identifier: BSD-2-Clause */
/* Folding (tls/fold.h): one bit for each word of the piece, and the words that are not zero. Called
 * by silence.c. It knows nothing of what the words mean. What is put aside is in OpenSSL's memory,
 * too, out of core dumps, and is wiped when it was put back. */
#include "tls/fold.h"

#include "tls/memory.h"

#include <openssl/crypto.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { BITS = 64 };

struct folded {
	uint32_t size;  /* of all of this */
	uint32_t words; /* of the piece */
	uint64_t data[]; /* the bits, then the words */
};

static size_t map_words(size_t words)
{
	return (words + BITS - 1) / BITS;
}

static size_t words_set(const uint64_t *from, size_t words)
{
	size_t i, n = 0;

	for (i = 0; i < words; i++)
		n += from[i] != 0;
	return n;
}

static void put_aside(struct folded *f, const uint64_t *from)
{
	uint64_t *to = f->data + map_words(f->words);
	size_t i;

	memset(f->data, 0, map_words(f->words) * sizeof(*f->data));
	for (i = 0; i < f->words; i++) {
		if (!from[i])
			continue;
		f->data[i / BITS] |= (uint64_t)1 << i % BITS;
		*to++ = from[i];
	}
}

void *tls_fold(void *memory)
{
	struct tls_pages pages;
	struct folded *f;
	size_t words, size;

	if (!tls_memory_pages(memory, &pages))
		return NULL;
	words = pages.size / sizeof(uint64_t);
	size = sizeof(*f) + (map_words(words) + words_set(memory, words)) * sizeof(*f->data);
	if (size > pages.len / 2)
		return NULL;
	f = tls_memory_take(size, __FILE__, __LINE__);
	if (!f)
		return NULL;
	f->size = (uint32_t)size;
	f->words = (uint32_t)words;
	put_aside(f, memory);
	if (!madvise(pages.at, pages.len, MADV_DONTNEED))
		return f;
	OPENSSL_cleanse(f, size);
	tls_memory_give(f, __FILE__, __LINE__);
	return NULL;
}

void tls_unfold(void *memory, void **folded)
{
	struct folded *f = *folded;
	const uint64_t *from = f->data + map_words(f->words);
	uint64_t *to = memory, bits;
	size_t i;

	*folded = NULL;
	/* The pages are zero, and where the piece has a part of the slab's first one it is as it
	 * was. */
	for (i = 0; i < map_words(f->words); i++)
		for (bits = f->data[i]; bits; bits &= bits - 1)
			to[i * BITS + (size_t)__builtin_ctzll(bits)] = *from++;
	OPENSSL_cleanse(f, f->size);
	tls_memory_give(f, __FILE__, __LINE__);
}
