/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of which a process is killed behind each of its instructions, one after the other, and
 * several processes that write, read and drop chains at once, and are killed anywhere: nothing is
 * lost, nothing is had twice, and what can be read is what was written. */
#include "share/chains.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { OWN_ROW, DEAD_ROW, READER_ROW, ROWS = 5, COUNT = 70, SIZE = 64, PLACES = 12 };

static const struct chains_layout layout = { .count = COUNT, .size = SIZE, .rows = ROWS };

/* What the processes share: chains, and what the owner has: an index. */
static struct shared {
	_Atomic uint64_t index[PLACES];
	_Atomic uint32_t done[ROWS]; /* acts of each process */
	_Alignas(4096) char memory[];
} *shared, *copied;
static size_t shared_size;

static struct chains begin(void)
{
	struct chains c;

	memset(shared, 0, shared_size);
	chains_open(&c, &layout, shared->memory, OWN_ROW);
	return c;
}

static struct chains as(const struct chains *c, uint32_t row)
{
	struct chains other = *c;

	other.row = row;
	return other;
}

/* ---- what is in a chain -------------------------------------------------------------------- */

static char byte_of(uint64_t id, uint64_t at)
{
	return (char)(id * 37 + (id >> 32) * 11 + at * 7 + at / SIZE);
}

static bool write_more(struct chains *c, struct chains_writer *w, size_t len)
{
	char bytes[COUNT * SIZE];
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = byte_of(w->id, w->length + i);
	return chains_append(c, w, bytes, len);
}

static uint64_t write_whole(struct chains *c, uint64_t room, size_t len)
{
	struct chains_writer w;
	uint64_t id;

	assert_true(chains_begin(c, room, &w));
	assert_true(write_more(c, &w, len));
	id = w.id;
	chains_finish(c, &w);
	return id;
}

/* Reads so many bytes at a time; how many in all. */
static uint64_t read_all(const struct chains *c, uint64_t id, size_t most)
{
	struct chains_reader r;
	struct span piece;
	uint64_t at = 0;
	size_t i;

	for (chains_read(&r, id); (piece = chains_piece(c, &r, most)).len; at += piece.len)
		for (i = 0; i < piece.len; i++)
			if (piece.ptr[i] != byte_of(id, at + i))
				fail_msg("byte %zu of chain %#llx is wrong", (size_t)at + i,
					 (unsigned long long)id);
	return at;
}

/* ---- each block is somewhere once ---------------------------------------------------------- */

static bool is_link(const struct chains *c, uint32_t block)
{
	return (uint32_t)atomic_load(&c->links[block].word) >> 28 == 4;
}

static void count_chain(const struct chains *c, uint32_t head, unsigned times[COUNT])
{
	uint32_t next;

	for (times[head]++; (next = atomic_load(&c->links[head].next)); head = next - 1) {
		assert_in_range(next, 1, COUNT);
		assert_true(is_link(c, next - 1));
		assert_int_equal(++times[next - 1], 1);
	}
}

/* Blocks are free, or in one chain each; chains that are there were asked for: at most so many. All
 * that is free is had. */
static void check_sound(struct chains *c, unsigned chains)
{
	unsigned times[COUNT] = { 0 }, i, heads = 0;
	uint32_t block;

	for (i = 0; i < COUNT; i++)
		if ((uint32_t)atomic_load(&c->links[i].word) >> 28 >= 8) {
			count_chain(c, i, times);
			heads++;
		}
	assert_in_range(heads, 0, chains);
	while (blocks_take(&c->blocks, c->row, &block))
		times[block]++;
	for (i = 0; i < COUNT; i++)
		if (times[i] != 1)
			fail_msg("block %u is there %u times", i, times[i]);
}

/* ---- without deaths ------------------------------------------------------------------------ */

static void what_was_written_is_read(void **state)
{
	static const size_t lengths[] = { 0, 1, SIZE - 1, SIZE, SIZE + 1, 3 * SIZE, 17 * SIZE + 5 };
	struct chains c = begin(), reader = as(&c, READER_ROW);
	unsigned i;
	uint64_t id;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		id = write_whole(&c, i % 2 ? lengths[i] : 0, lengths[i]);
		assert_true(chains_pin(&reader, id));
		assert_int_equal(chains_length(&reader, id), lengths[i]);
		assert_int_equal(read_all(&reader, id, SIZE_MAX), lengths[i]);
		assert_int_equal(read_all(&reader, id, 7), lengths[i]);
		assert_int_equal(chains_state(&reader, id), CHAINS_WHOLE);
		chains_unpin(&reader, id);
		assert_true(chains_drop(&c, id));
		assert_false(chains_drop(&c, id));
		assert_false(chains_pin(&reader, id));
		assert_int_equal(blocks_used(&c.blocks), 0);
	}
	check_sound(&c, 0);
}

static void neighbours_are_one_piece(void **state)
{
	struct chains c = begin();
	uint64_t id = write_whole(&c, 0, 10 * SIZE);
	struct chains_reader r;

	(void)state;
	chains_read(&r, id);
	assert_int_equal(chains_piece(&c, &r, 3 * SIZE + 1).len, 3 * SIZE + 1);
	assert_int_equal(chains_piece(&c, &r, SIZE_MAX).len, 7 * SIZE - 1);
	assert_int_equal(chains_piece(&c, &r, SIZE_MAX).len, 0);
}

static void a_growing_one_is_read(void **state)
{
	struct chains c = begin(), reader = as(&c, READER_ROW);
	struct chains_writer w;
	struct chains_reader r;
	uint64_t id;

	(void)state;
	assert_true(chains_begin(&c, 0, &w));
	id = w.id;
	assert_true(chains_pin(&reader, id));
	chains_read(&r, id);
	assert_int_equal(chains_piece(&reader, &r, 100).len, 0);
	assert_true(write_more(&c, &w, SIZE));
	assert_int_equal(chains_piece(&reader, &r, 1000).len, SIZE);
	assert_int_equal(chains_piece(&reader, &r, 1000).len, 0);
	assert_true(write_more(&c, &w, 1));
	assert_int_equal(chains_piece(&reader, &r, 1000).len, 1);
	assert_int_equal(chains_state(&reader, id), CHAINS_GROWS);
	chains_abandon(&c, &w);
	assert_int_equal(chains_state(&reader, id), CHAINS_CUT);
	assert_false(chains_pin(&c, id));
	assert_int_equal(read_all(&reader, id, 5), SIZE + 1);
	assert_int_equal(blocks_used(&c.blocks), 2);
	chains_unpin(&reader, id);
	assert_int_equal(chains_state(&reader, id), CHAINS_GONE);
	check_sound(&c, 0);
}

/* Who is replaced while it grows still reaches its readers, and goes behind the last of them. */
static void one_is_dropped_while_it_grows(void **state)
{
	struct chains c = begin(), reader = as(&c, READER_ROW);
	struct chains_writer w;
	uint64_t id;

	(void)state;
	assert_true(chains_begin(&c, 0, &w));
	id = w.id;
	assert_true(chains_pin(&reader, id));
	assert_true(chains_drop(&reader, id));
	assert_false(chains_drop(&reader, id));
	assert_false(chains_pin(&reader, id));
	assert_true(write_more(&c, &w, 2 * SIZE));
	assert_int_equal(chains_state(&reader, id), CHAINS_GROWS);
	chains_finish(&c, &w);
	assert_int_equal(chains_state(&reader, id), CHAINS_WHOLE);
	assert_int_equal(read_all(&reader, id, SIZE_MAX), 2 * SIZE);
	chains_unpin(&reader, id);
	assert_int_equal(blocks_used(&c.blocks), 0);
	assert_true(chains_begin(&c, 0, &w));
	assert_true(chains_drop(&c, w.id));
	chains_finish(&c, &w);
	check_sound(&c, 0);
}

static void all_or_none(void **state)
{
	struct chains c = begin();
	struct chains_writer w, other;

	(void)state;
	assert_false(chains_begin(&c, COUNT * SIZE + 1, &w));
	assert_false(chains_begin(&c, UINT64_MAX, &w));
	assert_true(chains_begin(&c, (COUNT - 3) * SIZE, &w));
	assert_false(chains_begin(&c, 4 * SIZE, &other));
	assert_true(chains_begin(&c, 0, &other));
	assert_false(write_more(&c, &other, 4 * SIZE));
	assert_int_equal(chains_length(&c, other.id), 0);
	assert_true(write_more(&c, &other, 3 * SIZE));
	assert_int_equal(read_all(&c, other.id, SIZE_MAX), 3 * SIZE);
	assert_true(write_more(&c, &w, (COUNT - 3) * SIZE));
	assert_false(write_more(&c, &w, 1));
	chains_abandon(&c, &w);
	chains_finish(&c, &other);
	assert_int_equal(blocks_used(&c.blocks), 3);
	check_sound(&c, 1);
}

static void room_that_was_not_needed_is_given_back(void **state)
{
	struct chains c = begin();

	(void)state;
	write_whole(&c, 20 * SIZE, SIZE + 1);
	assert_int_equal(blocks_used(&c.blocks), 2);
	write_whole(&c, 20 * SIZE, 0);
	assert_int_equal(blocks_used(&c.blocks), 3);
	check_sound(&c, 2);
}

/* Each word of the memory once: the reader ends, and reads nothing outside (the sanitizers look). */
static void what_others_have_written_leads_nowhere(void **state)
{
	static const uint32_t lies[] = { 0, 1, 2, 3, COUNT, COUNT + 1, UINT32_MAX, UINT32_MAX - 1 };
	struct chains c = begin();
	uint64_t id = write_whole(&c, 0, 5 * SIZE);
	struct chains_link *l = &c.links[(uint32_t)id - 1];
	struct chains_reader r;
	unsigned i, pieces;

	(void)state;
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		atomic_store(&l[i % 5].next, lies[i]);
		atomic_store(&l->last, lies[i]);
		atomic_store(&l->length, i % 2 ? lies[i] : (uint64_t)lies[i] << 32);
		for (pieces = 0, chains_read(&r, id); chains_piece(&c, &r, SIZE).len; pieces++)
			assert_in_range(pieces, 0, COUNT);
	}
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		assert_false(chains_pin(&c, lies[i]) && lies[i] != (uint32_t)id);
		assert_int_equal(chains_length(&c, (uint64_t)COUNT + 1 + i), 0);
	}
	atomic_store(&l->word, 8u << 28 | DEAD_ROW);
	chains_mend(&c, DEAD_ROW);
	atomic_store(&l->word, UINT64_MAX);
	chains_mend(&c, DEAD_ROW);
}

/* ---- killed behind each instruction -------------------------------------------------------- */

/* What the work is about; made before it, by prepare. */
static struct {
	uint64_t id;
	struct chains_writer w;
} given;

static void stopped(pid_t pid, int *status)
{
	assert_int_equal(waitpid(pid, status, 0), pid);
	assert_true(WIFSTOPPED(*status));
}

/* A process that is about to do the work as DEAD_ROW. 0: this machine lets nobody trace. */
static pid_t start_traced(const struct chains *c, void (*work)(struct chains *c))
{
	struct chains dead = as(c, DEAD_ROW);
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(7);
		raise(SIGSTOP);
		work(&dead);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? 0 : pid;
}

/* As if it had been killed now: in a copy of what is shared. */
static void bury(void (*look)(struct chains *c))
{
	struct chains c;

	memcpy(copied, shared, shared_size);
	chains_open(&c, &layout, copied->memory, OWN_ROW);
	chains_mend(&c, DEAD_ROW);
	chains_mend(&c, DEAD_ROW);
	look(&c);
}

/* Deaths at all places of the work, from the state that prepare makes. */
static void at_all_places(void (*prepare)(struct chains *c), void (*work)(struct chains *c),
			  void (*look)(struct chains *c))
{
	struct chains c = begin();
	unsigned long steps = 0;
	int status;
	pid_t pid;

	prepare(&c);
	pid = start_traced(&c, work);
	if (!pid)
		skip();
	do {
		bury(look);
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		stopped(pid, &status);
		steps++;
	} while (WSTOPSIG(status) == SIGTRAP);
	assert_int_equal(WSTOPSIG(status), SIGSTOP);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(steps > 50);
}

static void nothing(struct chains *c)
{
	(void)c;
}

/* Blocks that were given back, in some disorder, and few fresh ones. */
static void some_free(struct chains *c)
{
	uint64_t ids[COUNT / 2];
	unsigned i;

	for (i = 0; i < COUNT / 2 - 2; i++)
		ids[i] = write_whole(c, 0, 2 * SIZE);
	for (i = 0; i < COUNT / 2 - 2; i += 3)
		assert_true(chains_drop(c, ids[i]));
	for (; i < COUNT / 2 - 2; i++)
		assert_true(chains_drop(c, ids[i]));
}

static void no_more_than_before(struct chains *c)
{
	check_sound(c, COUNT / 2 - 2);
}

/* Ends in the middle of a chain. */
static void begins(struct chains *c)
{
	struct chains_writer w;

	if (!chains_begin(c, 3 * SIZE, &w) || !write_more(c, &w, SIZE + 5) ||
	    !write_more(c, &w, 4 * SIZE))
		abort();
}

static void gone(struct chains *c)
{
	check_sound(c, 0);
}

static void fresh_blocks_are_written(void **state)
{
	(void)state;
	at_all_places(nothing, begins, gone);
}

static void blocks_that_were_given_back_are_written(void **state)
{
	(void)state;
	at_all_places(some_free, begins, no_more_than_before);
}

static void finishes(struct chains *c)
{
	struct chains_writer w;

	if (!chains_begin(c, 4 * SIZE, &w) || !write_more(c, &w, SIZE + 5))
		abort();
	chains_finish(c, &w);
}

static void one_or_none(struct chains *c)
{
	check_sound(c, 1);
}

static void one_is_finished(void **state)
{
	(void)state;
	at_all_places(nothing, finishes, one_or_none);
}

/* Of DEAD_ROW, read by another process. */
static void one_grows(struct chains *c)
{
	struct chains dead = as(c, DEAD_ROW), reader = as(c, READER_ROW);

	assert_true(chains_begin(&dead, 2 * SIZE, &given.w));
	given.id = given.w.id;
	assert_true(write_more(&dead, &given.w, 10));
	assert_true(chains_pin(&reader, given.id));
}

static void grows(struct chains *c)
{
	if (!write_more(c, &given.w, SIZE) || !write_more(c, &given.w, 2 * SIZE))
		abort();
	chains_abandon(c, &given.w);
}

static void is_cut(struct chains *c)
{
	struct chains reader = as(c, READER_ROW);
	uint64_t length = chains_length(&reader, given.id);

	assert_int_equal(chains_state(&reader, given.id), CHAINS_CUT);
	assert_true(length == 10 || length == 10 + SIZE || length == 10 + 3 * SIZE);
	assert_int_equal(read_all(&reader, given.id, SIZE_MAX), length);
	chains_unpin(&reader, given.id);
	assert_int_equal(chains_state(&reader, given.id), CHAINS_GONE);
	check_sound(c, 0);
}

static void one_that_is_read_grows(void **state)
{
	(void)state;
	at_all_places(one_grows, grows, is_cut);
}

static void one_is_whole(struct chains *c)
{
	given.id = write_whole(c, 0, 4 * SIZE + 1);
}

static void drops(struct chains *c)
{
	if (!chains_drop(c, given.id))
		abort();
}

static void one_is_dropped(void **state)
{
	(void)state;
	at_all_places(one_is_whole, drops, one_or_none);
}

static void one_grows_alone(struct chains *c)
{
	struct chains dead = as(c, DEAD_ROW);

	assert_true(chains_begin(&dead, 2 * SIZE, &given.w));
}

static void drops_and_finishes(struct chains *c)
{
	if (!chains_drop(c, given.w.id))
		abort();
	chains_finish(c, &given.w);
}

static void one_is_dropped_before_its_end(void **state)
{
	(void)state;
	at_all_places(one_grows_alone, drops_and_finishes, gone);
}

static void reads(struct chains *c)
{
	if (!chains_pin(c, given.id) || !chains_pin(c, given.id))
		abort();
	chains_unpin(c, given.id);
	chains_unpin(c, given.id);
}

/* Its pins hold nothing any more. */
static void can_be_dropped(struct chains *c)
{
	assert_true(chains_pin(c, given.id));
	assert_int_equal(read_all(c, given.id, 50), 4 * SIZE + 1);
	assert_true(chains_drop(c, given.id));
	chains_unpin(c, given.id);
	check_sound(c, 0);
}

static void one_is_read(void **state)
{
	(void)state;
	at_all_places(one_is_whole, reads, can_be_dropped);
}

static void one_has_a_last_reader(struct chains *c)
{
	struct chains dead = as(c, DEAD_ROW);

	one_is_whole(c);
	assert_true(chains_pin(&dead, given.id));
	assert_true(chains_drop(c, given.id));
	assert_true(blocks_used(&c->blocks) == 5);
}

static void unpins(struct chains *c)
{
	chains_unpin(c, given.id);
}

static void the_last_reader_goes(void **state)
{
	(void)state;
	at_all_places(one_has_a_last_reader, unpins, gone);
}

/* ---- several at once, killed anywhere ------------------------------------------------------ */

/* Puts another chain in the place of one, as an index does. */
static void replace(struct chains *c, unsigned place)
{
	uint64_t old = atomic_load(&shared->index[place]);
	struct chains_writer w;

	chains_drop(c, old);
	if (!chains_begin(c, rand() % 3 * SIZE, &w))
		return;
	if (!atomic_compare_exchange_strong(&shared->index[place], &old, w.id)) {
		chains_abandon(c, &w);
		return;
	}
	while (rand() % 4 && write_more(c, &w, (size_t)(rand() % (3 * SIZE))))
		;
	if (rand() % 8)
		chains_finish(c, &w);
	else
		chains_abandon(c, &w);
}

static void read_one(struct chains *c, unsigned place)
{
	uint64_t id = atomic_load(&shared->index[place]), first, second;

	if (!chains_pin(c, id))
		return;
	first = read_all(c, id, (size_t)(1 + rand() % (2 * SIZE)));
	second = read_all(c, id, SIZE_MAX);
	if (second < first || chains_state(c, id) == CHAINS_GONE)
		abort();
	chains_unpin(c, id);
}

static pid_t start_worker(const struct chains *c, uint32_t row, unsigned seed)
{
	struct chains own = as(c, row);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	alarm(50);
	for (srand(seed);; atomic_fetch_add(&shared->done[row], 1)) {
		if (rand() % 3)
			read_one(&own, (unsigned)rand() % PLACES);
		else
			replace(&own, (unsigned)rand() % PLACES);
	}
}

/* It has done so many acts more, and is in the middle of another one. */
static void let_work(pid_t pid, uint32_t row, unsigned acts)
{
	uint32_t begun = atomic_load(&shared->done[row]);
	int status;

	while (atomic_load(&shared->done[row]) - begun < acts) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			fail_msg("a worker has ended: %#x", (unsigned)status);
		sched_yield();
	}
}

static void kill_and_mend(struct chains *c, pid_t pid, uint32_t row)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	chains_mend(c, row);
}

static bool index_has(uint64_t id)
{
	unsigned i;

	for (i = 0; i < PLACES; i++)
		if (atomic_load(&shared->index[i]) == id)
			return true;
	return false;
}

static void several_at_once(void **state)
{
	struct chains c = begin();
	pid_t pids[ROWS] = { 0 };
	unsigned deaths = 0, row;
	uint64_t word;

	(void)state;
	for (row = 1; row < ROWS; row++)
		pids[row] = start_worker(&c, row, row);
	for (; deaths < 100; deaths++) {
		row = 1 + deaths % (ROWS - 1);
		let_work(pids[row], row, 1 + (deaths * 7) % 50);
		kill_and_mend(&c, pids[row], row);
		pids[row] = start_worker(&c, row, 100 + deaths);
	}
	for (row = 1; row < ROWS; row++)
		kill_and_mend(&c, pids[row], row);
	for (row = 0; row < COUNT; row++) {
		word = atomic_load(&c.links[row].word);
		if ((uint32_t)word >> 28 >= 8)
			assert_true(index_has((word >> 32) << 32 | (row + 1)));
	}
	check_sound(&c, PLACES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(neighbours_are_one_piece),
		cmocka_unit_test(a_growing_one_is_read),
		cmocka_unit_test(one_is_dropped_while_it_grows),
		cmocka_unit_test(all_or_none),
		cmocka_unit_test(room_that_was_not_needed_is_given_back),
		cmocka_unit_test(what_others_have_written_leads_nowhere),
		cmocka_unit_test(fresh_blocks_are_written),
		cmocka_unit_test(blocks_that_were_given_back_are_written),
		cmocka_unit_test(one_is_finished),
		cmocka_unit_test(one_that_is_read_grows),
		cmocka_unit_test(one_is_dropped),
		cmocka_unit_test(one_is_dropped_before_its_end),
		cmocka_unit_test(one_is_read),
		cmocka_unit_test(the_last_reader_goes),
		cmocka_unit_test(several_at_once),
	};

	shared_size = sizeof(*shared) + chains_size(&layout);
	shared = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	copied = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || copied == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
