/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory a stick table has taken. Called by commands; reads words of the table alone. */
#include "share/region.h"
#include "stick/inside.h"
#include "stick/table.h"

static uint64_t pages(uint64_t bytes)
{
	return (bytes + REGION_PAGE - 1) / REGION_PAGE * REGION_PAGE;
}

/* Bits of places, and of words with some. */
static uint64_t bits(uint32_t places)
{
	return blocks_free_size(places) + blocks_sums_size(places);
}

/* Places are used from the lowest on, and buckets doubled: what lies behind was never written to.
 * Notes and numbers are written to where changes are told to others. */
uint64_t stick_taken(const struct stick_table *t)
{
	uint64_t places = atomic_load(&t->head->fresh), told = t->noted ? places : 0;
	uint64_t buckets = atomic_load(&t->head->buckets);

	if (places > t->def.size)
		places = t->def.size;
	if (buckets > t->most_buckets)
		buckets = t->most_buckets;
	return pages(sizeof(*t->head)) + pages(buckets * sizeof(*t->buckets)) +
	       pages(places * sizeof(*t->touched)) + pages(bits((uint32_t)places) + bits((uint32_t)told)) +
	       pages(told * sizeof(*t->numbers)) + pages(places * t->def.entry_size);
}
