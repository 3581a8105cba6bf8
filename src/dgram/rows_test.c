/* SPDX-License-Identifier: BSD-2-Clause */
/* Which datagrams are a row; what a row is cut into; rows over loopback. */
#include "dgram/address.h"
#include "dgram/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned row(const size_t *sizes, unsigned n, size_t header)
{
	struct iovec iov[200];
	unsigned i;

	for (i = 0; i < n; i++)
		iov[i] = (struct iovec){ NULL, sizes[i] };
	return dgram_row_of(iov, n, header);
}

#define ROW(header, ...)                                                                           \
	row((const size_t[]){ __VA_ARGS__ }, sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t),   \
	    header)

static void test_what_is_a_row(void **state)
{
	size_t many[200];
	unsigned i;

	(void)state;
	assert_int_equal(ROW(0, 5), 1);
	assert_int_equal(ROW(0, 5, 5, 5), 3);
	assert_int_equal(ROW(0, 5, 5, 4), 3);
	assert_int_equal(ROW(0, 5, 4, 4), 2);
	assert_int_equal(ROW(0, 5, 6), 1);
	assert_int_equal(ROW(0, 5, 0), 1);
	assert_int_equal(ROW(0, 0, 0), 1);
	assert_int_equal(ROW(0, DGRAM_ROW_SIZE, DGRAM_ROW_SIZE), 2);
	assert_int_equal(ROW(0, DGRAM_ROW_SIZE + 1, 5), 1);
	assert_int_equal(ROW(28, DGRAM_ROW_SIZE - 28, 5), 2);
	assert_int_equal(ROW(28, DGRAM_ROW_SIZE - 27, 5), 1);
	for (i = 0; i < 200; i++)
		many[i] = 1;
	assert_int_equal(row(many, 200, 0), DGRAM_ROW_CUT);
	for (i = 0; i < 200; i++)
		many[i] = 1400;
	assert_int_equal(row(many, 200, 0), DGRAM_PAYLOAD_MOST / 1400);
}

/* The row of so many bytes behind it, and how many went. */
#define TRIMMED(text, row_size, most, left, left_size, went)                                       \
	do {                                                                                       \
		char memory[] = text;                                                              \
		unsigned bytes = sizeof(text) - 1;                                                 \
		uint16_t size = row_size;                                                          \
		assert_int_equal(dgram_row_trim(memory, &bytes, &size, most), went);         \
		assert_int_equal(bytes, sizeof(left) - 1);                                         \
		assert_memory_equal(memory, left, bytes);                                          \
		assert_int_equal(size, left_size);                                                 \
	} while (0)

static void test_what_is_too_large(void **state)
{
	(void)state;
	assert_int_equal(dgram_row_count(0, 0), 1);
	assert_int_equal(dgram_row_count(9, 0), 1);
	assert_int_equal(dgram_row_count(9, 3), 3);
	assert_int_equal(dgram_row_count(10, 3), 4);
	TRIMMED("", 0, 3, "", 0, 0);
	TRIMMED("abc", 0, 3, "abc", 0, 0);
	TRIMMED("abcd", 0, 3, "", 0, 1);
	TRIMMED("abcabcab", 3, 3, "abcabcab", 3, 0);
	TRIMMED("abcdabcdabc", 4, 3, "abc", 0, 2);
	TRIMMED("abcdabcdabcd", 4, 3, "", 0, 3);
}

/* Sends 9 bytes as 4, 4, 1 and takes what comes. Returns the number of messages, the first one's
 * size of datagrams in *size; -1: this kernel cuts none up. */
static int over_loopback(bool gathers, uint16_t *size)
{
	int to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	union dgram_address at = { .v4 = { .sin_family = AF_INET,
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
	char got[100];
	union dgram_control control;
	struct iovec sent = { "abcdefghi", 9 }, iov = { got, sizeof(got) };
	struct msghdr msg = { .msg_iov = &sent, .msg_iovlen = 1, .msg_control = &control };
	socklen_t len = sizeof(at);
	int n = -1;

	assert_true(to >= 0 && from >= 0);
	assert_int_equal(bind(to, &at.sa, sizeof(at.v4)), 0);
	assert_int_equal(getsockname(to, &at.sa, &len), 0);
	if (gathers)
		dgram_rows_gather(to);
	assert_int_equal(connect(from, &at.sa, sizeof(at.v4)), 0);
	dgram_row_cut(&msg, 4);
	if (sendmsg(from, &msg, 0) == 9)
		for (n = 0;; n++) {
			msg = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1,
					       .msg_control = &control,
					       .msg_controllen = sizeof(control) };
			if (recvmsg(to, &msg, MSG_DONTWAIT) < 0)
				break;
			if (!n)
				*size = dgram_row_size(&msg);
		}
	close(from);
	close(to);
	return n;
}

static void test_over_loopback(void **state)
{
	uint16_t size = 0;
	int n = over_loopback(false, &size);

	(void)state;
	if (n < 0)
		skip();
	assert_int_equal(n, 3);
	assert_int_equal(size, 0);
	n = over_loopback(true, &size);
	assert_true((n == 1 && size == 4) || (n == 3 && size == 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_a_row),
		cmocka_unit_test(test_what_is_too_large),
		cmocka_unit_test(test_over_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
