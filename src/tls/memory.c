/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for OpenSSL that the kernel leaves out of core dumps (MADV_DONTDUMP), and gcore too. All
 * of it, since a key does not stay where it was read: the primes of an RSA key are copied into
 * Montgomery contexts, which know nothing of OpenSSL's secure heap.
 *
 * Sizes are rounded up to classes; slabs of 64 kB, aligned to that, hold pieces of one class each,
 * so that a piece needs no head: its slab is found by its address. What is larger than half a slab
 * is mapped by itself. Invariants: a slab is in its class's list exactly when it has a free piece;
 * one without any piece in use goes to the pool, of which all but the first ones give their pages
 * back. There are no locks: the process has one thread. Called by OpenSSL, and by fold.c.
 */
#include "tls/memory.h"

#include "base/bug.h"
#include "base/list.h"

#include <openssl/crypto.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SLAB_SIZE = 64 << 10,
	REGION_SIZE = 1 << 20,          /* slabs are mapped by so many bytes */
	SLAB_HEAD = 64,
	PAGE = 4096,
	SMALL_STEP = 16, SMALL_MAX = 512, /* classes by steps, above that eight a doubling */
	SIZE_MAX_CLASS = (SLAB_SIZE - SLAB_HEAD) / 2 / 16 * 16,
	CLASSES = SMALL_MAX / SMALL_STEP + 8 * 6 + 1,
	POOL_WARM = 16,                 /* free slabs that keep their pages */
};

struct piece {
	struct piece *next;
};

/* At the begin of each slab, and of what is mapped by itself. */
struct slab {
	struct list node;   /* of its class, or of the pool */
	struct piece *free; /* given back */
	size_t size;        /* of a piece; alone: of all that is mapped */
	uint32_t fresh;     /* where those begin that were never used */
	uint32_t used;      /* pieces in use */
	uint32_t class;     /* CLASSES: alone */
	uint32_t step;      /* from one piece to the next */
	uint32_t cold;      /* its pages were given back */
};
_Static_assert(sizeof(struct slab) <= SLAB_HEAD, "the head of a slab");

static struct list classes[CLASSES];
static struct list pool = LIST_INIT(pool);
static unsigned pool_count, pool_warm; /* in it; of these, with their pages */
static size_t mapped;
bool tls_memory_started;

/* -- classes
 * ------------------------------------------------------------------------------------ */

static unsigned class_of(size_t size)
{
	unsigned shift, eighth;

	if (size <= SMALL_MAX)
		return (unsigned)((size + SMALL_STEP - 1) / SMALL_STEP) - (size > 0);
	shift = 63 - (unsigned)__builtin_clzl(size - 1); /* 2^shift < size <= 2^(shift+1) */
	eighth = (unsigned)((size - 1) >> (shift - 3)) & 7;
	return SMALL_MAX / SMALL_STEP + (shift - 9) * 8 + eighth;
}

static size_t class_size(unsigned class)
{
	unsigned above;
	size_t size;

	if (class < SMALL_MAX / SMALL_STEP)
		return (class + 1) * SMALL_STEP;
	above = class - SMALL_MAX / SMALL_STEP;
	size = ((size_t)SMALL_MAX << (above / 8)) / 8 * (9 + above % 8);
	return size < SIZE_MAX_CLASS ? size : SIZE_MAX_CLASS;
}

/* -- from the system
 * ------------------------------------------------------------------------------ */

/* Aligned to a slab, left out of dumps. NULL: no memory. */
static void *map(size_t size)
{
	size_t all = size + SLAB_SIZE;
	char *base = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;

	if (base == MAP_FAILED)
		return NULL;
	at = (char *)(((uintptr_t)base + SLAB_SIZE - 1) & ~(uintptr_t)(SLAB_SIZE - 1));
	if (at > base)
		munmap(base, (size_t)(at - base));
	if (at + size < base + all)
		munmap(at + size, (size_t)(base + all - (at + size)));
	if (madvise(at, size, MADV_DONTDUMP)) {
		munmap(at, size);
		return NULL;
	}
	mapped += size;
	return at;
}

static bool pool_fill(void)
{
	char *region = map(REGION_SIZE), *at;
	struct slab *slab;

	for (at = region; region && at < region + REGION_SIZE; at += SLAB_SIZE) {
		slab = (struct slab *)at;
		slab->cold = true;
		list_append(&pool, &slab->node);
		pool_count++;
	}
	return region;
}

/* Pieces of more than a page have pages of their own, but for the slab's head, where as many of
 * them fit in that way. */
static uint32_t class_step(unsigned class)
{
	size_t size = class_size(class), wide = (size + SLAB_HEAD + PAGE - 1) / PAGE * PAGE;

	if (size < PAGE || (SLAB_SIZE - SLAB_HEAD) / size > SLAB_SIZE / wide)
		return (uint32_t)size;
	return (uint32_t)wide;
}

static struct slab *slab_new(unsigned class)
{
	struct slab *slab;

	if (list_empty(&pool) && !pool_fill())
		return NULL;
	slab = list_first(&pool, struct slab, node);
	list_remove(&slab->node);
	pool_count--;
	pool_warm -= !slab->cold;
	*slab = (struct slab){ .size = class_size(class), .fresh = SLAB_HEAD, .class = class,
			       .step = class_step(class) };
	list_append(&classes[class], &slab->node);
	return slab;
}

/* It is empty. Warm ones are taken first. */
static void slab_free(struct slab *slab)
{
	list_remove(&slab->node);
	if (pool_warm < POOL_WARM) {
		pool_warm++;
		slab->cold = false;
		list_prepend(&pool, &slab->node);
	} else {
		madvise((char *)slab + PAGE, SLAB_SIZE - PAGE, MADV_DONTNEED);
		slab->cold = true;
		list_append(&pool, &slab->node);
	}
	pool_count++;
}

static struct slab *slab_of(void *memory)
{
	return (struct slab *)((uintptr_t)memory & ~(uintptr_t)(SLAB_SIZE - 1));
}

static bool slab_is_full(const struct slab *slab)
{
	return !slab->free && slab->fresh + slab->size > SLAB_SIZE;
}

static void *alone_new(size_t size)
{
	size_t all = (size + SLAB_HEAD + 4095) & ~(size_t)4095;
	struct slab *slab = size > SIZE_MAX / 2 ? NULL : map(all);

	if (!slab)
		return NULL;
	slab->size = all;
	slab->class = CLASSES;
	return (char *)slab + SLAB_HEAD;
}

/* -- as malloc, realloc, free
 * ---------------------------------------------------------------------- */

void *tls_memory_take(size_t size, const char *file, int line)
{
	struct slab *slab;
	unsigned class;
	void *memory;

	(void)file, (void)line;
	if (!size)
		return NULL;
	if (size > SIZE_MAX_CLASS)
		return alone_new(size);
	class = class_of(size);
	slab = !list_empty(&classes[class]) ? list_first(&classes[class], struct slab, node) :
					      slab_new(class);
	if (!slab)
		return NULL;
	memory = slab->free;
	if (memory) {
		slab->free = slab->free->next;
	} else {
		memory = (char *)slab + slab->fresh;
		slab->fresh += slab->step;
	}
	slab->used++;
	if (slab_is_full(slab))
		list_remove(&slab->node);
	return memory;
}

void tls_memory_give(void *memory, const char *file, int line)
{
	struct slab *slab = slab_of(memory);
	bool was_full;

	(void)file, (void)line;
	if (!memory)
		return;
	if (slab->class == CLASSES) {
		mapped -= slab->size;
		munmap(slab, slab->size);
		return;
	}
	BUG_ON(!slab->used);
	was_full = slab_is_full(slab);
	((struct piece *)memory)->next = slab->free;
	slab->free = memory;
	slab->used--;
	if (was_full)
		list_prepend(&classes[slab->class], &slab->node);
	if (!slab->used)
		slab_free(slab);
}

static size_t memory_size(void *memory)
{
	const struct slab *slab = slab_of(memory);

	return slab->class == CLASSES ? slab->size - SLAB_HEAD : slab->size;
}

void *tls_memory_resize(void *memory, size_t size, const char *file, int line)
{
	size_t had;
	void *fresh;

	if (!memory)
		return tls_memory_take(size, file, line);
	if (!size) {
		tls_memory_give(memory, file, line);
		return NULL;
	}
	had = memory_size(memory);
	if (size <= had && size > had / 2)
		return memory;
	fresh = tls_memory_take(size, file, line);
	if (!fresh)
		return NULL;
	memcpy(fresh, memory, had < size ? had : size);
	tls_memory_give(memory, file, line);
	return fresh;
}

bool tls_memory_pages(void *memory, struct tls_pages *pages)
{
	struct slab *slab = slab_of(memory);
	size_t begin = ((uintptr_t)memory & (SLAB_SIZE - 1)) - SLAB_HEAD;

	if (slab->class == CLASSES || slab->step % PAGE)
		return false;
	pages->size = slab->size;
	pages->at = (char *)slab + (begin ? begin : PAGE); /* the first page has the head of the
							    * slab */
	pages->len = (size_t)((char *)slab + begin + slab->step - pages->at);
	return pages->len > 0;
}

size_t tls_memory_mapped(void)
{
	return mapped;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TLS_MEMORY_WATCHED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TLS_MEMORY_WATCHED 1
#endif

static void classes_init(void)
{
	unsigned i;

	for (i = 0; i < CLASSES; i++)
		list_init(&classes[i]);
}

void tls_memory_start(void)
{
	if (!classes[0].next)
		classes_init();
#ifndef TLS_MEMORY_WATCHED
	tls_memory_started = CRYPTO_set_mem_functions(tls_memory_take, tls_memory_resize,
						      tls_memory_give);
#endif
}
