/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions: what the next image finds and what it refuses (another name, layout or size, cut off,
 * not a region at all); that nobody cuts off what is mapped; what a process that is confined can
 * write; and that where descriptors or memory are short there is a sentence, and nothing is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "base/err.h"
#include "share/kept.h"
#include "share/region.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = REGION_PAGE, SIZE = 4 * REGION_PAGE };

static const struct region_spec fixed = { .name = "fixed", .what = "numbers", .layout = 7 };
static const struct region_spec growing = { .name = "growing", .what = "cells", .layout = 8,
					    .grows = true };
static const struct region_spec notes = { .name = "notes", .what = "keys", .layout = 9,
					  .note = true };

static void make(struct region *r, const struct region_spec *spec, size_t size)
{
	struct err err = { "" };

	assert_int_equal(region_new(r, spec, size, true, &err), 0);
	assert_string_equal(err.text, "");
}

static const char *refusal(const struct region_spec *spec, int fd)
{
	static struct err err;
	struct region r;

	err.text[0] = 0;
	assert_int_equal(region_attach(&r, spec, fd, &err), -1);
	assert_false(region_is(&r));
	return err.text;
}

static int descriptors(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- finding it again ---------------------------------------------------------------------- */

static void attached_twice_it_is_the_same(void **state)
{
	struct region r, next;
	int before = descriptors();
	char *a, *b;

	(void)state;
	make(&r, &fixed, SIZE);
	a = region_window(&r, 0, SIZE);
	strcpy(a + PAGE, "here");
	region_keep(&r);
	region_free(&r);
	assert_true(region_attach_kept(&r, &fixed));
	assert_int_equal(r.size, SIZE);
	assert_true(region_attach_kept(&next, &fixed));
	a = region_window(&r, 0, SIZE);
	b = region_window(&next, PAGE, PAGE);
	assert_string_equal(b, "here");
	strcpy(b, "there");
	assert_string_equal(a + PAGE, "there");
	assert_int_equal(region_identity(&r), region_identity(&next));
	region_free(&r);
	region_free(&next);
	assert_false(region_is(&next));
	kept_forget();
	assert_false(region_attach_kept(&r, &fixed));
	assert_false(kept_known("fixed"));
	assert_int_equal(descriptors(), before);
}

static void another_build_refuses(void **state)
{
	struct region_spec other = fixed;
	struct region r;
	int before = descriptors(), ends[2];

	(void)state;
	make(&r, &fixed, SIZE);
	other.layout++;
	assert_string_equal(refusal(&other, r.fd), "the memory of numbers is of another version");
	other = fixed;
	other.name = "fixe";
	assert_non_null(strstr(refusal(&other, r.fd), "of another version"));
	assert_int_equal(pipe(ends), 0);
	refusal(&fixed, ends[0]);
	refusal(&fixed, -1);
	close(ends[0]);
	close(ends[1]);
	region_free(&r);
	assert_int_equal(descriptors(), before);
}

/* The one that is refused cannot come back, when others have begun without it; but it was there. */
static void what_is_refused_is_given_up(void **state)
{
	struct region_spec other = fixed;
	struct region r;
	int before = descriptors();

	(void)state;
	make(&r, &fixed, SIZE);
	region_keep(&r);
	other.layout++;
	region_free(&r);
	assert_false(region_attach_kept(&r, &other));
	assert_int_equal(descriptors(), before);
	assert_int_equal(kept_get("fixed"), -1);
	assert_true(kept_known("fixed"));
	assert_false(region_attach_kept(&r, &fixed));
	make(&r, &fixed, SIZE);
	region_keep(&r);
	assert_int_equal(kept_get("fixed"), r.fd);
	kept_forget();
	assert_int_equal(r.fd, -1);
	region_free(&r);
}

/* A file with the bytes of a region, as another program could make it. */
static int forge(struct region *r, off_t size, int seals)
{
	int fd = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char head[PAGE];

	assert_true(fd >= 0);
	assert_int_equal(pread(r->fd, head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(fd, head, sizeof(head), 0), sizeof(head));
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void what_is_cut_off_is_refused(void **state)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
	struct region r;
	off_t sizes[] = { 0, 8, PAGE - 1, PAGE, PAGE + SIZE - 1 };
	unsigned i;
	int fd;

	(void)state;
	make(&r, &fixed, SIZE);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		fd = forge(&r, sizes[i], seals);
		refusal(&fixed, fd);
		close(fd);
	}
	fd = forge(&r, PAGE + SIZE - 1, seals);
	assert_string_equal(refusal(&fixed, fd), "the memory of numbers is cut off");
	close(fd);
	fd = forge(&r, PAGE + SIZE, F_SEAL_GROW);
	assert_string_equal(refusal(&fixed, fd),
			    "the memory of numbers is not protected against being cut off");
	close(fd);
	region_free(&r);
}

static void nobody_cuts_off_what_is_mapped(void **state)
{
	struct region r;

	(void)state;
	make(&r, &fixed, SIZE);
	assert_int_equal(ftruncate(r.fd, PAGE), -1);
	assert_int_equal(ftruncate(r.fd, 2 * SIZE), -1);
	region_free(&r);
	make(&r, &growing, PAGE);
	assert_int_equal(region_grow(&r, SIZE), 0);
	assert_int_equal(r.size, SIZE);
	assert_int_equal(ftruncate(r.fd, PAGE), -1);
	assert_int_equal(errno, EPERM);
	strcpy(region_window(&r, 2 * PAGE, PAGE), "grown");
	region_free(&r);
}

static void one_that_is_not_shared_is_memory(void **state)
{
	struct region r;
	struct region_span own = { 0, PAGE };
	char *p;

	(void)state;
	assert_int_equal(region_new(&r, &growing, PAGE, false, NULL), 0);
	assert_int_equal(r.fd, -1);
	p = region_window(&r, 0, PAGE);
	assert_int_equal(p[PAGE - 1], 0);
	assert_int_equal(region_grow(&r, SIZE), 0);
	p = region_window(&r, PAGE, SIZE - PAGE);
	assert_int_equal(region_confine(&r, &own, 1, NULL), 0);
	p[0] = 1;
	assert_false(region_read(&r, 0, &own, sizeof(own)));
	region_free(&r);
}

static void a_note_is_written_and_cut(void **state)
{
	struct region r, next, none = REGION_NONE, zeroed = { 0 };
	char text[16] = "";

	(void)state;
	make(&r, &notes, 0);
	assert_int_equal(region_length(&r), 0);
	assert_true(region_write(&r, 0, "one two", 8));
	region_keep(&r);
	assert_true(region_attach_kept(&next, &notes));
	assert_int_equal(region_length(&next), 8);
	assert_true(region_read(&next, 4, text, 4));
	assert_string_equal(text, "two");
	assert_false(region_read(&next, 4, text, 5));
	assert_true(region_cut(&next, 3));
	assert_int_equal(region_length(&r), 3);
	region_free(&r);
	region_free(&next);
	kept_forget();
	assert_false(region_write(&none, 0, "x", 1) || region_read(&zeroed, 0, text, 1) ||
		     region_write(&zeroed, 0, "x", 1) || region_cut(&zeroed, 0) ||
		     region_length(&zeroed) || region_length(&none));
	region_free(&none);
	region_free(&zeroed);
}

/* ---- what a process may write -------------------------------------------------------------- */

/* In a child that is confined to the second page, and to half of the other window. */
static int write_confined(struct region *r, char *at, bool takes_back)
{
	const struct region_span own[] = { { PAGE, 2 * PAGE }, { 3 * PAGE, 5 * PAGE } };
	int status;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0);
		signal(SIGSEGV, SIG_DFL);
		if (region_confine(r, own, 2, NULL) < 0)
			_exit(9);
		if (takes_back)
			_exit(mprotect(at, PAGE, PROT_READ | PROT_WRITE) == 0 ? 7 : 0);
		*at = 'x';
		_exit(*at == 'x' ? 0 : 8);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void a_confined_process_writes_its_own_alone(void **state)
{
	const bool may[] = { false, true, false, true, true, false, false };
	struct region r;
	char *page[ARRAY_LEN(may)], *p;
	unsigned i;
	int status;

	(void)state;
	make(&r, &growing, 7 * PAGE);
	p = region_window(&r, 0, 4 * PAGE);
	for (i = 0; i < 4; i++)
		page[i] = p + i * PAGE;
	p = region_window(&r, 4 * PAGE, 3 * PAGE);
	for (; i < 7; i++)
		page[i] = p + (i - 4) * PAGE;
	for (i = 0; i < 7; i++) {
		status = write_confined(&r, page[i], false);
		assert_int_equal(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, !may[i]);
		assert_int_equal(*page[i], may[i] ? 'x' : 0);
		if (!may[i]) /* nor can it give itself the right again */
			assert_int_equal(write_confined(&r, page[i], true), 0);
	}
	region_free(&r);
}

/* One that was kept: the table still has the descriptor that writes, until it forgets. */
static void later_windows_only_read(void **state)
{
	const struct region_span own = { 0, PAGE };
	struct region r;
	char *p;

	(void)state;
	make(&r, &growing, SIZE);
	region_keep(&r);
	region_window(&r, 0, PAGE);
	assert_int_equal(region_confine(&r, &own, 1, NULL), 0);
	p = region_window(&r, PAGE, PAGE);
	assert_non_null(p);
	assert_int_equal(mprotect(p, PAGE, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(fcntl(r.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	kept_forget();
	assert_true(r.fd >= 0);
	region_free(&r);
}

/* ---- what is short --------------------------------------------------------------------------- */

static void descriptors_are_short(void **state)
{
	struct rlimit rl, low;
	struct region r;
	struct err err = { "" };
	int before = descriptors();

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &rl), 0);
	low = (struct rlimit){ 0, rl.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	make(&r, &fixed, SIZE); /* the limit may be raised */
	region_free(&r);
	if (fork()) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	} else {
		low = (struct rlimit){ 0, 0 };
		setrlimit(RLIMIT_NOFILE, &low);
		if (region_new(&r, &fixed, SIZE, true, &err) == 0 || region_is(&r))
			_exit(1);
		_exit(strstr(err.text, "no memory for numbers: Too many open files: raise the "
				       "limit") ? 0 : 2);
	}
	setrlimit(RLIMIT_NOFILE, &rl);
	assert_int_equal(descriptors(), before);
}

static void memory_is_short(void **state)
{
	const size_t too_much = (size_t)1 << 47; /* more than there are addresses */
	struct rlimit rl, low = { 64 * PAGE, 0 };
	struct region r;
	struct err err = { "" };
	int before = descriptors();

	(void)state;
	make(&r, &growing, too_much);
	assert_null(region_window(&r, 0, too_much));
	assert_non_null(region_window(&r, 0, PAGE)); /* the rest stays usable */
	region_free(&r);
	assert_int_equal(region_new(&r, &growing, too_much, false, &err), 0);
	assert_null(region_window(&r, 0, too_much));
	region_free(&r);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &rl), 0);
	low.rlim_max = rl.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	assert_int_equal(region_new(&r, &fixed, 64 * PAGE, true, &err), -1);
	assert_string_equal(err.text, "no memory for numbers: File too large: raise the limit (ulimit -f, "
			    "LimitFSIZE=)");
	assert_false(region_is(&r));
	make(&r, &growing, PAGE);
	assert_int_equal(region_grow(&r, 64 * PAGE), -1);
	assert_int_equal(r.size, PAGE);
	region_free(&r);
	make(&r, &notes, 0);
	assert_false(region_write(&r, 62 * PAGE, (char[2 * PAGE]){ 1 }, 2 * PAGE));
	assert_true(region_cut(&r, 0));
	region_free(&r);
	setrlimit(RLIMIT_FSIZE, &rl);
	assert_int_equal(descriptors(), before);
}

/* ---- names --------------------------------------------------------------------------------- */

/* A later build may keep more than this one knows of. */
static void what_has_no_place_is_closed(void **state)
{
	char name[] = "region-a";
	int before = descriptors();

	(void)state;
	for (; name[7] <= 'z'; name[7]++)
		kept_take(name, dup(2));
	assert_false(kept_take("a-name-that-is-longer-than-any-has-room", dup(2)));
	assert_true(kept_known("region-a"));
	assert_false(kept_known("region-z"));
	assert_true(kept_take("region-a", dup(2)));
	kept_forget();
	assert_int_equal(descriptors(), before);
}

static void layouts_tell_all_apart(void **state)
{
	struct a { int x, y; };
	struct b { int y, x; };
	const struct region_member a[] = { REGION_MEMBER(struct a, x), REGION_MEMBER(struct a, y) };
	const struct region_member b[] = { REGION_MEMBER(struct b, y), REGION_MEMBER(struct b, x) };
	const struct region_member x[] = { { "x", 0, 4 }, { "y", 4, 4 } };
	const struct region_member y[] = { { "y", 0, 4 }, { "x", 4, 4 } };
	const struct region_member z[] = { { "x", 0, 4 }, { "y", 8, 4 } };

	(void)state;
	assert_true(region_layout(1, a, 2) == region_layout(1, a, 2));
	assert_true(region_layout(1, a, 2) != region_layout(2, a, 2));
	assert_true(region_layout(1, a, 2) != region_layout(1, b, 2));
	assert_true(region_layout(1, x, 2) != region_layout(1, y, 2));
	assert_true(region_layout(1, x, 2) != region_layout(1, z, 2));
	assert_true(region_layout(1, x, 2) != region_layout(1, x, 1));
	assert_true(region_layout(region_layout(1, x, 1), x + 1, 1) !=
		    region_layout(region_layout(1, x + 1, 1), x, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attached_twice_it_is_the_same),
		cmocka_unit_test(another_build_refuses),
		cmocka_unit_test(what_is_refused_is_given_up),
		cmocka_unit_test(what_is_cut_off_is_refused),
		cmocka_unit_test(nobody_cuts_off_what_is_mapped),
		cmocka_unit_test(one_that_is_not_shared_is_memory),
		cmocka_unit_test(a_note_is_written_and_cut),
		cmocka_unit_test(a_confined_process_writes_its_own_alone),
		cmocka_unit_test(later_windows_only_read),
		cmocka_unit_test(descriptors_are_short),
		cmocka_unit_test(memory_is_short),
		cmocka_unit_test(what_has_no_place_is_closed),
		cmocka_unit_test(layouts_tell_all_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
