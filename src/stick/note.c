/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes of what has changed in stick tables (doc/internals/peers.md). Called by what changes entries
 * (stick_note); feed.c reads the notes.
 *
 * A note is a bit of the entry's place. Whoever changes an entry writes the value first, and looks
 * for the bit behind that; the process that tells numbers the entry, clears the bit, and reads the
 * value behind that. So each change is in what is told, or has its bit. Above the bits stand sums of
 * words, above these one word of the table, and above that the word that says whether the process
 * that tells is awake; they are set from below and cleared from above. Where a process was killed
 * between two of them, the parent has all bits looked at (NOTED_ALL). What the process had pinned
 * gets its bit from the parent: the process may have been killed between a value and its bit.
 */
#include "stick/note.h"

#include "stick/inside.h"

void (*stick_feed_wakes)(uint32_t row);

void stick_feed_begin(struct stick_table *t)
{
	t->noted = true;
}

void stick_feed_quiet(struct stick_table *t, bool quiet)
{
	t->noted = !quiet;
}

static void wake(void)
{
	if (!atomic_load(&stick_teller->awake) && !atomic_exchange(&stick_teller->awake, 1) &&
	    stick_feed_wakes)
		stick_feed_wakes(atomic_load(&stick_teller->row));
}

void stick_note_place(struct stick_table *t, uint32_t place)
{
	uint32_t word = place / 64;
	uint64_t bit = UINT64_C(1) << place % 64;
	_Atomic uint64_t *sum = &t->note_sums[word / WORDS_A_SUM];

	if (atomic_load(&t->notes[word]) & bit)
		return;
	atomic_fetch_or(&t->notes[word], bit);
	bit = UINT64_C(1) << word % WORDS_A_SUM;
	if (!(atomic_load(sum) & bit))
		atomic_fetch_or(sum, bit);
	if (atomic_load(&t->head->noted) == NOTED_NOTHING)
		atomic_fetch_or(&t->head->noted, NOTED_SUMS);
	wake();
}

void feed_mend(struct stick_table *t)
{
	if (!t->noted)
		return;
	atomic_store(&t->head->noted, NOTED_ALL);
	atomic_store(&stick_teller->awake, 1); /* whoever said so may not have come to waking it */
	if (stick_feed_wakes)
		stick_feed_wakes(atomic_load(&stick_teller->row));
}
