/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of datagrams over loopback: all arrive whole, each once; what cannot leave is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dns/datagram.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int from, to;
static char batch[DATAGRAMS * 600];
static size_t batch_len;

static int setup(void **state)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);

	(void)state;
	from = socket(AF_INET, SOCK_DGRAM, 0);
	to = socket(AF_INET, SOCK_DGRAM, 0);
	batch_len = 0;
	return bind(to, (struct sockaddr *)&addr, len) ||
	       getsockname(to, (struct sockaddr *)&addr, &len) ||
	       connect(from, (struct sockaddr *)&addr, len);
}

static int teardown(void **state)
{
	(void)state;
	close(from);
	close(to);
	return 0;
}

/* A message of that length: the first byte is its number. */
static void put(unsigned number, size_t len)
{
	batch[batch_len++] = (char)(len >> 8);
	batch[batch_len++] = (char)len;
	memset(batch + batch_len, 'x', len);
	batch[batch_len] = (char)number;
	batch_len += len;
}

/* What has come: lengths by number; each once, and nothing else. */
static void take(const size_t *lens, unsigned count)
{
	struct span got[DATAGRAMS];
	bool seen[DATAGRAMS] = { false };
	unsigned all = 0;
	int i, n;

	while ((n = datagrams_take(to, got)) > 0)
		for (i = 0; i < n; i++, all++) {
			unsigned number = (unsigned char)got[i].ptr[0];

			assert_true(number < count && !seen[number]);
			assert_int_equal(got[i].len, lens[number]);
			seen[number] = true;
		}
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(all, count);
}

static void messages_of_all_lengths_arrive(void **state)
{
	size_t lens[DATAGRAMS];
	unsigned i;

	(void)state;
	for (i = 0; i < DATAGRAMS; i++) {
		lens[i] = i % 5 ? 30 + i % 3 : 500 - i;
		put(i, lens[i]);
	}
	assert_int_equal(datagrams_send(from, batch, batch_len), 0);
	take(lens, DATAGRAMS);
}

static void one_and_none(void **state)
{
	size_t len = 40;

	(void)state;
	assert_int_equal(datagrams_send(from, batch, 0), 0);
	put(0, len);
	assert_int_equal(datagrams_send(from, batch, batch_len), 0);
	take(&len, 1);
}

/* Longer than what passes in one piece: the kernel does not cut it up, so it goes by itself. */
static void long_ones_go_singly(void **state)
{
	static char longer[3 * 20002];
	struct span got[DATAGRAMS];
	int i, n, all = 0, mtu = IP_PMTUDISC_DONT;

	(void)state;
	setsockopt(from, IPPROTO_IP, IP_MTU_DISCOVER, &mtu, sizeof(mtu));
	for (i = 0; i < 3; i++) {
		longer[i * 20002] = 20000 >> 8;
		longer[i * 20002 + 1] = (char)(20000 & 0xff);
	}
	i = 1 << 20;
	setsockopt(to, SOL_SOCKET, SO_RCVBUF, &i, sizeof(i));
	assert_int_equal(datagrams_send(from, longer, sizeof(longer)), 0);
	while ((n = datagrams_take(to, got)) > 0)
		for (i = 0; i < n; i++, all++)
			assert_int_equal(got[i].len, 20000);
	assert_int_equal(all, 3);
}

static void what_cannot_leave_is_counted(void **state)
{
	(void)state;
	put(0, 40);
	put(1, 40);
	put(2, 50);
	shutdown(from, SHUT_WR);
	assert_int_equal(datagrams_send(from, batch, batch_len), 3);
	take(NULL, 0);
}

/* An answer of ICMP to an earlier datagram fails the call that comes next: nothing is lost by it.
 */
static void a_refusal_loses_nothing(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	size_t lens[3] = { 40, 40, 50 };
	unsigned i;

	(void)state;
	assert_int_equal(getsockname(to, (struct sockaddr *)&addr, &len), 0);
	close(to);
	assert_int_equal(send(from, "x", 1, 0), 1);
	to = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(to, (struct sockaddr *)&addr, len), 0);
	for (i = 0; i < 3; i++)
		put(i, lens[i]);
	assert_int_equal(datagrams_send(from, batch, batch_len), 0);
	take(lens, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(messages_of_all_lengths_arrive, setup, teardown),
		cmocka_unit_test_setup_teardown(one_and_none, setup, teardown),
		cmocka_unit_test_setup_teardown(long_ones_go_singly, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_leave_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(a_refusal_loses_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
