/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs that judge a relay (relaytest, wire) have in common beside flows: their
 * options, the lines they print, and questions to the relay and to the system about it.
 */
#include "relaytest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options opt = { .listener = -1 };
unsigned failures;

bool expect(bool holds, const char *fmt, ...)
{
	va_list ap;

	printf(holds ? "ok      " : "FAILED  ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	failures += !holds;
	return holds;
}

bool expect_flows(struct flow *f, size_t n, const char *fmt, ...)
{
	bool ok = flows_run(f, n, PATIENCE_MS);
	char sentence[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	return expect(ok, "%s: %s", sentence, flows_describe(f, n));
}

char *ask(const char *socket_path, const char *command)
{
	struct address a = address_parse(socket_path);
	int fd = sock_connect(&a, false);
	size_t size = 65536, n = 0;
	char *answer = malloc(size);
	ssize_t got;

	if (fd < 0 || !answer)
		goto out;
	if (dprintf(fd, "%s\n", command) < 0)
		goto out;
	while ((got = read(fd, answer + n, size - n - 1)) > 0) {
		n += (size_t)got;
		if (n + 1 < size)
			continue;
		size *= 2;
		answer = realloc(answer, size);
		if (!answer)
			die("memory");
	}
	close(fd);
	answer[n] = '\0';
	return answer;
out:
	if (fd >= 0)
		close(fd);
	free(answer);
	return NULL;
}

long info_value(const char *field)
{
	char *answer = opt.stats ? ask(opt.stats, "show info") : NULL, *p = answer;
	size_t len = strlen(field);
	long value = -1;

	while (p) {
		p += *p == '\n';
		if (!strncmp(p, field, len) && p[len] == ':') {
			value = atol(p + len + 1);
			break;
		}
		p = strchr(p, '\n');
	}
	free(answer);
	return value;
}

bool info_becomes(const char *field, long value)
{
	uint64_t until = now_ns() + PATIENCE_MS * MSEC;

	while (info_value(field) != value) {
		if (now_ns() > until)
			return false;
		poll(NULL, 0, 5);
	}
	return true;
}

double relay_cpu_share(int ms, double limit)
{
	double share = 1;

	if (!opt.relay)
		die("this test needs -p");
	for (int look = 0; look < 20 && share >= limit; look++) {
		uint64_t began = now_ns(), cpu = proc_cpu_ns(opt.relay);

		while (now_ns() - began < (uint64_t)ms * MSEC)
			poll(NULL, 0, 10);
		share = (double)(proc_cpu_ns(opt.relay) - cpu) / (double)(now_ns() - began);
	}
	return share;
}

/* As in /proc/PID/stat: R runs or would like to, S sleeps, T is stopped. */
static char relay_state(void)
{
	char path[64], state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)opt.relay);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		die("%s", path);
	fclose(f);
	return state;
}

void relay_settle(void)
{
	uint64_t until = now_ns() + PATIENCE_MS * MSEC, cpu;

	if (!opt.relay)
		return;
	do {
		cpu = proc_cpu_ns(opt.relay);
		poll(NULL, 0, 20);
	} while ((relay_state() != 'S' || proc_cpu_ns(opt.relay) != cpu) && now_ns() < until);
}

void relay_freeze(bool stop)
{
	if (!opt.relay)
		die("this test needs -p");
	kill(opt.relay, stop ? SIGSTOP : SIGCONT);
	while (stop && relay_state() != 'T')
		poll(NULL, 0, 1);
}

void options_read(int argc, char **argv, void (*usage)(void))
{
	struct address a;
	int c;

	opt.seed = now_ns();
	while ((c = getopt(argc, argv, "+f:b:p:s:n:z:S:")) != -1) {
		switch (c) {
		case 'f': opt.front = address_parse(optarg); break;
		case 'b':
			a = address_parse(optarg);
			opt.listener = sock_listen(&a);
			break;
		case 'p': opt.relay = atoi(optarg); break;
		case 's': opt.stats = optarg; break;
		case 'n': opt.count = (unsigned)number_parse(optarg); break;
		case 'z': opt.size = number_parse(optarg); break;
		case 'S': opt.seed = number_parse(optarg); break;
		default: usage();
		}
	}
	if (optind >= argc)
		usage();
	want_descriptors();
	opt.args = argv + optind + 1;
	opt.n_args = argc - optind - 1;
}
