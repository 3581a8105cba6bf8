/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash of names, with chains in the order of rank. Used by bind lines (tls/choose.c); filled when
 * the configuration is complete and by commands. Pure.
 */
#include "tls/names.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

/* Names come from clients: the seed differs in each start, so that nobody can prepare names
 * that meet in one bucket. */
static uint64_t seed(void)
{
	static uint64_t value;

	if (!value && (getrandom(&value, sizeof(value), GRND_NONBLOCK) != sizeof(value) || !value))
		value = (uint64_t)(uintptr_t)&value | 1;
	return value;
}

static uint32_t name_hash(const char *text, size_t len, bool wild)
{
	return (uint32_t)XXH3_64bits_withSeed(text, len, seed() + wild);
}

size_t tls_name_normalise(struct span name, char *out)
{
	size_t i;

	if (name.len && name.ptr[name.len - 1] == '.')
		name.len--;
	if (name.len > TLS_NAME_MAX)
		return 0;
	for (i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!c)
			return 0;
		out[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	out[i] = 0;
	return i;
}

void tls_name_init(struct tls_name *name, const char *text, size_t len, void *object, unsigned rank)
{
	name->wild = len > 2 && text[0] == '*' && text[1] == '.';
	name->text = text + name->wild;
	name->len = (uint8_t)(len - name->wild);
	name->hash = name_hash(name->text, name->len, name->wild);
	name->object = object;
	name->rank = rank;
	name->next = NULL;
	name->link = NULL;
}

static void bucket_insert(struct tls_name **bucket, struct tls_name *name)
{
	while (*bucket && (*bucket)->rank <= name->rank)
		bucket = &(*bucket)->next;
	name->next = *bucket;
	name->link = bucket;
	if (name->next)
		name->next->link = &name->next;
	*bucket = name;
}

static int names_grow(struct tls_names *index)
{
	size_t size = index->buckets ? (index->mask + 1) * 2 : 16, i;
	struct tls_name **buckets = calloc(size, sizeof(*buckets)), *name, *next;

	if (!buckets)
		return index->buckets ? 0 : -1; /* longer chains, then */
	for (i = 0; index->buckets && i <= index->mask; i++)
		for (name = index->buckets[i]; name; name = next) {
			next = name->next;
			bucket_insert(&buckets[name->hash & (size - 1)], name);
		}
	free(index->buckets);
	index->buckets = buckets;
	index->mask = size - 1;
	return 0;
}

int tls_names_ready(struct tls_names *index)
{
	return index->buckets ? 0 : names_grow(index);
}

int tls_names_add(struct tls_names *index, struct tls_name *name)
{
	if ((!index->buckets || index->count > index->mask) && names_grow(index))
		return -1;
	bucket_insert(&index->buckets[name->hash & index->mask], name);
	index->count++;
	return 0;
}

void tls_names_remove(struct tls_names *index, struct tls_name *name)
{
	if (!name->link)
		return;
	*name->link = name->next;
	if (name->next)
		name->next->link = name->link;
	name->link = NULL;
	name->next = NULL;
	index->count--;
}

void tls_names_free(struct tls_names *index)
{
	free(index->buckets);
	memset(index, 0, sizeof(*index));
}

static struct tls_name *bucket_find(struct tls_name *name, const char *text, size_t len,
				   uint32_t hash, bool wild)
{
	for (; name; name = name->next)
		if (name->hash == hash && name->wild == wild && name->len == len &&
		    !memcmp(name->text, text, len))
			return name;
	return NULL;
}

struct tls_name *tls_names_first(const struct tls_names *index, const char *text, size_t len,
				 bool wild)
{
	const char *dot;
	uint32_t hash;

	if (!index->buckets)
		return NULL;
	if (wild) {
		dot = memchr(text, '.', len);
		if (!dot || dot == text)
			return NULL;
		len -= (size_t)(dot - text);
		text = dot;
	}
	hash = name_hash(text, len, wild);
	return bucket_find(index->buckets[hash & index->mask], text, len, hash, wild);
}

struct tls_name *tls_names_next(const struct tls_name *name)
{
	return bucket_find(name->next, name->text, name->len, name->hash, name->wild);
}
