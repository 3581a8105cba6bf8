/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest [options] TEST [words]: see the table at the end.
 *
 *   -f ADDRESS:PORT  where the relay listens      -b ADDRESS:PORT  where its server is: we
 *   -p PID           the relay's process          -s PATH          its stats socket
 *   -n COUNT -z SIZE -S SEED                      what the test makes of them
 *
 * Prints a line for each claim and exits with 0 when all of them hold.
 */
#include "relaytest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- the small helpers of shell scripts ---- */

static bool do_ask(void)
{
	char *answer = opt.n_args ? ask(opt.stats, opt.args[0]) : NULL;

	if (!answer)
		return false;
	fputs(answer, stdout);
	free(answer);
	return true;
}

/* Tests that run at the same time take turns at one file: none gets a port that another has been
 * given and not bound yet. Ports come round again after FIRST to LAST, which lies outside the range
 * from which the system takes its own. Without the file (-1) each draws for itself. */
enum { PORT_FIRST = 10000, PORT_LAST = 31999 };

static int turn_open(void)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/penstock.ports.%u", (unsigned)getuid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int turn_next(int fd)
{
	static uint64_t state;
	int last = 0;

	if (!state)
		state = now_ns() + (uint64_t)getpid();
	if (fd < 0 || pread(fd, &last, sizeof(last), 0) != sizeof(last) || last < PORT_FIRST ||
	    last > PORT_LAST)
		last = (int)rnd_range(&state, PORT_FIRST, PORT_LAST);
	last = last == PORT_LAST ? PORT_FIRST : last + 1;
	if (fd >= 0 && pwrite(fd, &last, sizeof(last), 0) != sizeof(last))
		die("the file of the ports");
	return last;
}

static bool port_free(int port)
{
	char text[32];
	struct address a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is;

	snprintf(text, sizeof(text), "127.0.0.1:%d", port);
	a = address_parse(text);
	is = !bind(fd, (struct sockaddr *)&a.ss, a.len);
	close(fd);
	return is;
}

static bool do_ports(void)
{
	unsigned left = opt.count ? opt.count : 1;
	int fd = turn_open();

	while (left) {
		int port = turn_next(fd);

		if (!port_free(port))
			continue;
		printf("%d\n", port);
		left--;
	}
	if (fd >= 0)
		close(fd);
	return true;
}

static bool do_cpu(void)
{
	double share = relay_cpu_share((int)(opt.count ? opt.count : 1000), 0.02);

	return expect(share < 0.02, "the relay is quiet: %.2f %% of a core", share * 100);
}

/* Connections that nobody may ever serve: they are opened, and left. */
static bool do_knock(void)
{
	for (unsigned i = 0; i < (opt.count ? opt.count : 1); i++)
		if (sock_connect(&opt.front, true) < 0)
			return false;
	return true;
}

static const struct {
	const char *name;
	bool (*run)(void);
	const char *what;
} tests[] = {
	{ "transfer", test_transfer, "bytes in both directions at once arrive unharmed" },
	{ "slow-reader", test_slow_reader, "FIN right behind the last byte, and a slow reader" },
	{ "mixed-slow", test_mixed_slow, "one large transfer beside many slow ones" },
	{ "fin", test_fin, "FIN at any place of a transfer" },
	{ "drain", test_drain, "a full path goes on when the reader reads again" },
	{ "half-close", test_half_close, "each direction ends by itself" },
	{ "quiet", test_quiet, "idle, half-closed and blocked connections use no CPU" },
	{ "client-rst", test_client_rst, "a client that breaks off leaves nothing behind" },
	{ "server-rst", test_server_rst, "the client is told that the server broke off" },
	{ "pipes", test_pipes, "blocked transfers hold no more than WORD pipes" },
	{ "stall", test_stall, "a client that stops reading costs little and ends in time" },
	{ "latency", test_latency, "small exchanges and late ends are not held back" },
	{ "urgent", test_urgent, "urgent data in the middle of a stream" },
	{ "sockmap", test_sockmap, "a socket that sits in somebody's sockmap" },
	{ "refused", test_refused, "connections end when there is no server, others go on" },
	{ "hold", test_hold, "-n connections at once are all served in the end" },
	{ "cpu", do_cpu, "the relay uses no CPU for -n milliseconds" },
	{ "knock", do_knock, "open -n connections and leave them" },
	{ "ask", do_ask, "print the answer to a command of the stats socket" },
	{ "ports", do_ports, "print -n free ports" },
};

static void usage(void)
{
	puts("usage: relaytest [-f FRONT] [-b BACK] [-p PID] [-s SOCKET] [-n N] [-z N] [-S N] TEST");
	for (unsigned i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		printf("  %-12s %s\n", tests[i].name, tests[i].what);
	exit(1);
}

int main(int argc, char **argv)
{
	options_read(argc, argv, usage);
	for (unsigned i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		if (strcmp(tests[i].name, argv[optind]))
			continue;
		if (opt.listener >= 0)
			printf("# %s: %s (seed %llu)\n", tests[i].name, tests[i].what,
			       (unsigned long long)opt.seed);
		return tests[i].run() && !failures ? 0 : 1;
	}
	usage();
}
