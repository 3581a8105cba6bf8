/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Talks to a stats socket as scripts, people and attackers do, and judges the answers.
 * Usage: clitest -s SOCKET [-f HOST:PORT -b HOST:PORT] [-p PID] CASE
 * -f, -b: a frontend, and where its server is to be; -p: the process, whose memory and CPU time
 * are looked at. Prints a line for each claim; exit 0 when all held.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *socket_path, *front, *back;
static int pid, failures;

static void verdict(bool ok, const char *fmt, ...)
{
	va_list ap;

	printf(ok ? "ok      " : "FAILED  ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	failures += !ok;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* -- talking --------------------------------------------------------------------------------- */

static int open_stats(int rcvbuf)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct timeval patience = { 60, 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", socket_path);
	if (rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)))
		die(socket_path);
	return fd;
}

static struct sockaddr_in address(const char *text)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	char host[64];

	snprintf(host, sizeof(host), "%s", text);
	*strchr(host, ':') = 0;
	in.sin_port = htons((uint16_t)atoi(strchr(text, ':') + 1));
	inet_pton(AF_INET, host, &in.sin_addr);
	return in;
}

static int open_front(void)
{
	struct sockaddr_in in = address(front);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&in, sizeof(in)))
		die(front);
	return fd;
}

/* With a RST: nothing waits for the other side. */
static void break_off(int fd)
{
	struct linger now = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/* The kernel answers for a server that never accepts. */
static void open_back(void)
{
	struct sockaddr_in in = address(back);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) || listen(fd, 4096))
		die(back);
}

static bool put(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	ssize_t n;

	for (; len; p += n, len -= (size_t)n) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
	}
	return true;
}

static bool say(int fd, const char *text)
{
	return put(fd, text, strlen(text));
}

static char *heard;
static size_t heard_len, heard_size;

static bool hear_some(int fd)
{
	ssize_t n;

	if (heard_size - heard_len < 65537) {
		heard_size = heard_size * 2 + 131072;
		heard = realloc(heard, heard_size);
		if (!heard)
			die("realloc");
	}
	errno = 0;
	n = recv(fd, heard + heard_len, 65536, 0);
	if (n > 0)
		heard_len += (size_t)n;
	heard[heard_len] = 0;
	return n > 0;
}

/* Everything up to the end of the stream. */
static const char *hear_all(int fd)
{
	heard_len = 0;
	while (hear_some(fd))
		;
	return heard;
}

/* Until what was heard ends with this. */
static bool hear_until(int fd, const char *end)
{
	size_t len = strlen(end);

	heard_len = 0;
	while (heard_len < len || memcmp(heard + heard_len - len, end, len))
		if (!hear_some(fd))
			return false;
	return true;
}

static const char *ask(const char *command)
{
	int fd = open_stats(0);

	say(fd, command);
	say(fd, "\n");
	hear_all(fd);
	close(fd);
	return heard;
}

static long info(const char *field)
{
	char wanted[64];
	const char *p;

	snprintf(wanted, sizeof(wanted), "\n%s: ", field);
	p = strstr(ask("show info"), wanted);
	return p ? atol(p + strlen(wanted)) : -1;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* -- the process ----------------------------------------------------------------------------- */

static long memory_kb(void)
{
	char path[64], line[256];
	long kb = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static long cpu_ticks(void)
{
	char path[64], text[1024] = "";
	long user = 0, sys = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof(text), f))
		sscanf(strrchr(text, ')') + 1,
		       " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &sys);
	if (f)
		fclose(f);
	return user + sys;
}

static long open_files(void)
{
	long n = 0;

	for (const char *p = ask("show fd"); (p = strstr(p, " : kind=")); p++)
		n++;
	return n;
}

/* -- cases ----------------------------------------------------------------------------------- */

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* Readers that do not read cost bounded memory and no time, and get everything in the end. */
static void case_slow_reader(void)
{
	enum { READERS = 4, SERVERS = 300 };
	int fds[READERS];
	long memory, ticks;
	size_t rows;

	ask("show stat json");
	memory = memory_kb();
	for (int i = 0; i < READERS; i++) {
		fds[i] = open_stats(2048);
		say(fds[i], i % 2 ? "show stat typed;show stat json\n" : "show stat\n");
	}
	verdict(info("Uptime_sec") >= 0, "others are answered meanwhile");
	/* What went on before may still have to be cleaned up; one that spins does so each time. */
	ticks = 1000;
	for (int look = 0; look < 20 && ticks > 10; look++) {
		ticks = cpu_ticks();
		poll(NULL, 0, 500);
		ticks = cpu_ticks() - ticks;
	}
	verdict(ticks <= 10, "nobody reads: %ld ticks in half a second", ticks);
	verdict(memory_kb() - memory < READERS * 200, "memory grew by %ld kB for %d readers",
		memory_kb() - memory, READERS);
	for (int i = 0; i < READERS; i++) {
		hear_all(fds[i]);
		rows = count(heard, i % 2 ? ".svname.1:KNS:str:m" : "\nmany,m");
		if (rows != SERVERS || strcmp(heard + heard_len - 2, "\n\n"))
			verdict(false, "reader %d has %zu rows, %zu bytes", i, rows, heard_len);
		close(fds[i]);
	}
	verdict(true, "slow readers got their answers");
}

/* Sessions end while they are being listed. */
static void case_vanish(void)
{
	enum { SESSIONS = 600 };
	static int fds[SESSIONS];
	int cli;

	open_back();
	for (int i = 0; i < SESSIONS; i++)
		fds[i] = open_front();
	while (count(ask("show sess"), " fe=fe ") < SESSIONS)
		;
	for (int round = 0; round < 3; round++) {
		cli = open_stats(2048);
		say(cli, "show sess all\n");
		heard_len = 0;
		hear_some(cli);
		for (int i = round; i < SESSIONS; i += 3)
			break_off(fds[i]);
		while (count(ask("show sess"), " fe=fe ") > (size_t)SESSIONS * (2 - round) / 3)
			;
		hear_all(cli);
		verdict(heard_len > 2 && !strcmp(heard + heard_len - 2, "\n\n"),
			"the list goes on to its end (%zu sessions)", count(heard, "frontend=fe"));
		close(cli);
	}
}

static void case_attack(void)
{
	static char junk[1 << 20];
	long files = open_files();
	bool kept = true;
	int fd;

	memset(junk, 'x', sizeof(junk));
	fd = open_stats(0);
	put(fd, junk, sizeof(junk));
	shutdown(fd, SHUT_WR);
	hear_all(fd);
	verdict(strstr(heard, "Command too long") != NULL, "an endless line is refused");
	close(fd);

	for (int i = 0; i < 200; i++) {
		fd = open_stats(0);
		for (size_t j = 0; j < 4096; j++)
			junk[j] = (char)rand();
		put(fd, junk, 4096);
		shutdown(fd, SHUT_WR);
		if (i % 2)
			hear_all(fd);
		close(fd);
	}
	verdict(info("Pid") == pid, "random bytes do no harm");

	for (int i = 0; i < 16000; i++)
		junk[i] = ';';
	junk[16000] = '\n';
	fd = open_stats(2048);
	put(fd, junk, 16001);
	heard_len = 0;
	hear_some(fd);
	close(fd);
	verdict(info("Pid") == pid, "sixteen thousand commands, and the peer goes away");

	for (int i = 0; i < 300; i++) {
		fd = open_stats(0);
		say(fd, i % 3 ? "show stat json;show sess;show fd\n" : "prompt\nshow st");
		if (i % 2)
			break_off(fd);
		else
			close(fd);
	}
	verdict(info("Pid") == pid, "peers that go away at once");
	for (int i = 0; i < 1000 && open_files() > files; i++)
		poll(NULL, 0, 20);
	kept = open_files() > files;
	verdict(!kept, "all descriptors are back (%ld)", open_files());
}

static void case_interactive(void)
{
	int fd = open_stats(0), fd2;

	say(fd, "prompt\n");
	verdict(hear_until(fd, "> ") && !strcmp(heard, "\n> "), "the prompt appears");
	say(fd, "show cli level\n");
	verdict(hear_until(fd, "> ") && !strcmp(heard, "admin\n\n> "), "a command, the prompt again");
	say(fd, "show cli level <<\n");
	verdict(hear_until(fd, "+ "), "a payload is asked for");
	say(fd, "line\n");
	verdict(hear_until(fd, "+ "), "line by line");
	say(fd, "\n");
	verdict(hear_until(fd, "> ") && !strcmp(heard, "admin\n\n> "), "an empty line ends it");
	fd2 = open_stats(0);
	say(fd2, "prompt\nshow events r1 -w -n\n");
	verdict(hear_until(fd2, "> "), "a second one waits for events");
	say(fd, "disable server be/s1\n");
	hear_until(fd, "> ");
	verdict(hear_until(fd2, "\n") && strstr(heard, "Server be/s1 is going DOWN"),
		"and sees them as they come");
	say(fd2, "\n");
	verdict(hear_until(fd2, "> "), "until a key is pressed");
	say(fd2, "show cli level;quit\n");
	verdict(!strcmp(hear_all(fd2), "admin\n\n> "), "quit closes");
	close(fd2);
	say(fd, "set timeout cli 1\n");
	hear_until(fd, "> ");
	verdict(!hear_some(fd) && errno != EAGAIN, "an idle one is closed after its own timeout");
	close(fd);
}

static void say_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++) {
		say(fds[i], "prompt\n");
		hear_until(fds[i], "> ");
	}
}

/* stats maxconn 3, stats timeout 1h. */
static void case_limits(void)
{
	struct timeval moment = { 0, 300000 }, patience = { 60, 0 };
	int fds[3], more;

	for (int i = 0; i < 3; i++)
		fds[i] = open_stats(0);
	say_all(fds, 3);
	more = open_stats(0);
	say(more, "show cli level\n");
	setsockopt(more, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment));
	heard_len = 0;
	verdict(!hear_some(more) && errno == EAGAIN, "one more conversation has to wait");
	close(fds[0]);
	setsockopt(more, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	verdict(hear_some(more) && !strncmp(heard, "admin\n", 6), "until another one has ended");
	close(more);
	close(fds[1]);
	close(fds[2]);
}

/* stats timeout 2s, everything else far longer: idle ones end, and not at once. */
static void case_timeout(void)
{
	double start = seconds();
	int fd = open_stats(0);

	hear_all(fd);
	verdict(errno != EAGAIN && seconds() - start > 1.9, "an idle one ends after %.1f s",
		seconds() - start);
	close(fd);
}

/* A session shuts down the one that carries it. */
static void case_suicide(void)
{
	char line[64];
	int fd = open_stats(0);
	const char *id;

	say(fd, "prompt\nshow sess\n");
	hear_until(fd, "\n\n> ");
	id = strstr(heard, "0x");
	for (const char *p = heard; (p = strstr(p, "\n0x")); p++)
		id = p + 1;
	snprintf(line, sizeof(line), "shutdown session %.*s;show info\n", (int)strcspn(id, ":"), id);
	say(fd, line);
	hear_all(fd);
	verdict(true, "it ends");
	close(fd);
	verdict(info("Pid") == pid, "and the process does not");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "slow-reader", case_slow_reader }, { "vanish", case_vanish }, { "attack", case_attack },
	{ "interactive", case_interactive }, { "suicide", case_suicide },
	{ "limits", case_limits }, { "timeout", case_timeout },
};

int main(int argc, char **argv)
{
	int opt;

	signal(SIGPIPE, SIG_IGN);
	while ((opt = getopt(argc, argv, "s:f:b:p:")) != -1) {
		if (opt == 's')
			socket_path = optarg;
		else if (opt == 'f')
			front = optarg;
		else if (opt == 'b')
			back = optarg;
		else if (opt == 'p')
			pid = atoi(optarg);
	}
	for (size_t i = 0; socket_path && optind < argc && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(argv[optind], cases[i].name))
			continue;
		cases[i].run();
		return failures != 0;
	}
	fprintf(stderr, "usage: clitest -s SOCKET [-f HOST:PORT -b HOST:PORT] [-p PID] CASE\n");
	return 2;
}
