/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs that judge a relay (relaytest, wire) have in common beside flows: their options,
 * the lines they print, and questions to the relay and to the system about it.
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

bool expect_flows(struct flow *f, size_t n, int idle_ms, const char *fmt, ...)
{
	bool ok = flows_run(f, n, idle_ms);
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
	uint64_t until = now_ns() + 2 * NSEC;

	while (info_value(field) != value) {
		if (now_ns() > until)
			return false;
		poll(NULL, 0, 5);
	}
	return true;
}

double relay_cpu_share(int ms)
{
	uint64_t began = now_ns(), cpu = proc_cpu_ns(opt.relay);

	if (!opt.relay)
		die("this test needs -p");
	while (now_ns() - began < (uint64_t)ms * MSEC)
		poll(NULL, 0, 10);
	return (double)(proc_cpu_ns(opt.relay) - cpu) / (double)(now_ns() - began);
}

void relay_freeze(bool stop)
{
	char path[64], state = 0;
	FILE *f;

	if (!opt.relay)
		die("this test needs -p");
	kill(opt.relay, stop ? SIGSTOP : SIGCONT);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)opt.relay);
	while (stop && state != 'T') {
		f = fopen(path, "re");
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			die("%s", path);
		fclose(f);
	}
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
