/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How streams end: each row plays a client and a server against the program, all at once, and
 * compares the line of option tcplog (manual 8.2.2, 8.5) and what either side saw with what the
 * row says. Steps of a side, in order:
 *
 *   sN  send N bytes (as many as can be sent)   rN  receive N bytes exactly
 *   e   receive until the end                   f   end the sending direction
 *   c   close          x   close with RST       b   wait for the other side's "b"
 *   l   wait for the line in the log
 *
 * A side that has played its steps closes. What it saw: "EOF", "RST", with "+N" for bytes read at
 * "e" before ("+many" from 100,000 on), or "" when it did not look.
 *
 *   endings PROGRAM FOLDER [ROW]...      FOLDER absolute, for its files
 *
 * LINES_OF_DEFAULTS in the environment go to the defaults section. SLOWER=N makes the times that
 * are given in ms (those that must pass) N times as long, for machines that are busy.
 *
 * PROGRAM may be the reference: most rows hold for it, too. It forgets that a client broke off in
 * an upload, says CD for a RST in a queue or while connecting, and tells neither side of a RST.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GIVE_UP_MS = 60000, PENDING = 3, MANY = 100000 };
enum origin { LIVE, REFUSES, IGNORES, ABSENT };

struct row {
	const char *name, *front, *back, *server; /* lines and words of the configuration */
	enum origin origin;
	const char *client, *answer;  /* steps */
	const char *second;           /* steps of another client, whose line is the one judged */
	const char *cli;              /* said once the client's first "b" was reached */
	/* expected */
	const char *code, *saw_client, *saw_server;
	int bytes;                    /* of the log; -1: any */
	int after, before;            /* ms: bounds of the total time; 0: none */
};

#define CT "timeout client 300ms"
#define ST "timeout server 300ms"

static const struct row rows[] = {
	/* -- timeouts: lower case, from the side that had to act --------------------------- */
	{ "client_silent", CT, "", "", LIVE, "e", "e", .code = "cD", .saw_client = "EOF",
	  .saw_server = "EOF", .after = 300, .before = 5000 },
	{ "server_silent", "", ST, "", LIVE, "s3e", "r3e", .code = "sD", .saw_client = "EOF",
	  .saw_server = "EOF", .after = 300, .before = 5000 },
	{ "both_silent", CT, ST, "", LIVE, "e", "e", .code = "cD", .after = 300, .before = 5000 },
	{ "both_silent_server_owes", CT, ST, "", LIVE, "s3e", "r3e", .code = "sD", .after = 300 },
	{ "both_silent_answered", CT, ST, "", LIVE, "s3r4e", "r3s4e", .code = "cD", .bytes = 4,
	  .after = 300 },
	{ "connect", "", "timeout connect 300ms", "", IGNORES, "s3e", "", .code = "sC",
	  .saw_client = "EOF", .after = 300, .before = 5000 },
	{ "queue", "", "timeout queue 300ms", "maxconn 1", LIVE, "s1bl", "r1e", "e", .code = "sQ",
	  .saw_client = "EOF", .after = 300, .before = 5000 },
	{ "tunnel", "timeout client 200ms", "timeout tunnel 700ms\n timeout server 200ms", "", LIVE,
	  "s3r4e", "r3s4e", .code = "cD", .bytes = 4, .after = 700, .before = 5000 },
	{ "client_fin", "timeout client-fin 300ms", "", "", LIVE, "s3el", "r3s4fe", .code = "cD",
	  .saw_client = "EOF+4", .saw_server = "EOF", .bytes = 4, .after = 300, .before = 5000 },
	{ "server_fin", "", "timeout server-fin 300ms", "", LIVE, "s3fe", "r3el", .code = "sD",
	  .saw_client = "EOF", .saw_server = "EOF", .after = 300, .before = 5000 },
	{ "client_reads_nothing", CT, "", "", LIVE, "s3l", "r3s60000000e", .code = "cD", .bytes = -1,
	  .after = 300, .before = 9000 },
	{ "client_reads_nothing_server_is_excused", "timeout client 1000ms", ST, "", LIVE, "s3l",
	  "r3s60000000e", .code = "cD", .bytes = -1, .after = 1000, .before = 9000 },
	{ "server_reads_nothing", "", ST, "", LIVE, "s60000000e", "l", .code = "sD", .after = 300,
	  .before = 9000 },
	{ "server_reads_nothing_client_is_excused", CT, "timeout server 1000ms", "", LIVE, "s60000000e",
	  "l", .code = "sD", .after = 1000, .before = 9000 },
	{ "last_data_not_read", CT, "", "", LIVE, "s3l", "r3s9000000f", .code = "cD", .bytes = -1,
	  .after = 300, .before = 9000 },
	{ "inspection_client_timeout", CT "\n tcp-request inspect-delay 30s\n"
	  " tcp-request content accept if { req.len gt 5 }", "", "", LIVE, "s3e", "",
	  .code = "cR", .saw_client = "EOF", .after = 300, .before = 9000 },
	/* -- nobody there ------------------------------------------------------------------- */
	{ "refused", "", "", "", REFUSES, "s3e", "", .code = "SC", .saw_client = "EOF" },
	{ "no_server", "", "", "", ABSENT, "s3e", "", .code = "SC", .saw_client = "EOF" },
	/* -- the client breaks off: C ------------------------------------------------------- */
	{ "queue_client_closes", "", "timeout queue 9s", "maxconn 1", LIVE, "s1bl", "r1e", "c",
	  .code = "CQ", .before = 5000 },
	{ "queue_client_resets", "", "timeout queue 9s", "maxconn 1", LIVE, "s1bl", "r1e", "s1x",
	  .code = "CQ", .before = 5000 },
	{ "queue_client_asks_and_closes", "", "timeout queue 300ms", "maxconn 1", LIVE, "s1bl", "r1e",
	  "s1c", .code = "sQ", .after = 300 },
	{ "queue_abortonclose", "", "timeout queue 9s\n option abortonclose", "maxconn 1", LIVE,
	  "s1bl", "r1e", "s1c", .code = "CQ", .before = 5000 },
	{ "connecting_client_closes", "", "timeout connect 9s", "", IGNORES, "c", "", .code = "CC",
	  .before = 5000 },
	{ "connecting_client_asks_and_closes", "", "timeout connect 300ms", "", IGNORES, "s3c", "",
	  .code = "sC", .after = 300 },
	{ "connecting_abortonclose", "", "timeout connect 9s\n option abortonclose", "", IGNORES,
	  "s3c", "", .code = "CC", .before = 5000 },
	{ "connecting_client_resets", "", "timeout connect 9s", "", IGNORES, "s3x", "", .code = "CC",
	  .before = 5000 },
	{ "client_resets_idle", "", "", "", LIVE, "s3r4x", "r3s4e", .code = "CD", .saw_server = "RST",
	  .bytes = 4 },
	{ "client_resets_waiting", "", "", "", LIVE, "s3bx", "r3be", .code = "CD",
	  .saw_server = "RST" },
	{ "client_closes_in_download", "", "", "", LIVE, "s3r1000c", "r3s60000000", .code = "CD",
	  .bytes = -1 },
	{ "client_resets_in_upload", "", "", "", LIVE, "s500000bx", "be", .code = "CD" },
	{ "inspection_client_resets", "tcp-request inspect-delay 9s\n"
	  " tcp-request content accept if { req.len gt 5 }", "", "", LIVE, "s3x", "", .code = "CR",
	  .before = 5000 },
	/* -- the server breaks off: S ------------------------------------------------------- */
	{ "server_resets_waiting", "", "", "", LIVE, "s3e", "r3x", .code = "SD", .saw_client = "RST" },
	{ "server_resets_idle", "", "", "", LIVE, "s3r4be", "r3s4bx", .code = "SD",
	  .saw_client = "RST", .bytes = 4 },
	{ "server_resets_download", "", "", "", LIVE, "s3r1000e", "r3s500000x", .code = "SD",
	  .bytes = -1 },
	{ "server_resets_upload", "", "", "", LIVE, "s60000000e", "r1000x", .code = "SD",
	  .before = 5000 },
	{ "server_closes_in_upload", "", "", "", LIVE, "s60000000e", "r1000c", .code = "SD",
	  .before = 5000 },
	{ "server_ended_then_resets", "", "", "", LIVE, "s3r4ebs60000000e", "r3s4fbx", .code = "SD",
	  .bytes = 4, .before = 5000 },
	{ "response_inspection_server_closes", "", "tcp-response inspect-delay 9s\n"
	  " tcp-response content reject if { res.len gt 30 }", "", LIVE, "s3e", "r3c", .code = "--",
	  .saw_client = "EOF", .before = 5000 },
	/* -- nobody broke off --------------------------------------------------------------- */
	{ "normal", "", "", "", LIVE, "s3e", "r3s4c", .code = "--", .saw_client = "EOF+4", .bytes = 4 },
	{ "client_ends_first", "", "", "", LIVE, "s3r4c", "r3s4e", .code = "--", .saw_server = "EOF",
	  .bytes = 4 },
	{ "client_half", "", "", "", LIVE, "s3fe", "es4", .code = "--", .saw_client = "EOF+4",
	  .saw_server = "EOF+3", .bytes = 4 },
	{ "server_half", "", "", "", LIVE, "s3es5", "r3s4fe", .code = "--", .saw_client = "EOF+4",
	  .saw_server = "EOF+5", .bytes = 4 },
	{ "client_half_much", "", "", "", LIVE, "s3fbe", "ebs3000000", .code = "--",
	  .saw_client = "EOF+many", .saw_server = "EOF+3", .bytes = 3000000 },
	{ "server_half_much", "", "", "", LIVE, "s3es3000000", "r3s4fe", .code = "--",
	  .saw_client = "EOF+4", .saw_server = "EOF+many", .bytes = 4 },
	{ "nothing_said", "", "", "", LIVE, "bc", "be", .code = "--", .saw_server = "EOF" },
	{ "server_says_nothing", "", "", "", LIVE, "s3e", "r3c", .code = "--", .saw_client = "EOF" },
	/* -- the proxy ends it -------------------------------------------------------------- */
	{ "content_reject", "tcp-request content reject", "", "", LIVE, "s3e", "", .code = "PR",
	  .saw_client = "EOF" },
	{ "inspection_reject", "tcp-request inspect-delay 200ms\n"
	  " tcp-request content reject if { req.len lt 5 }", "", "", LIVE, "s3e", "", .code = "PR",
	  .saw_client = "EOF" },
	{ "response_reject", "", "tcp-response inspect-delay 5s\n"
	  " tcp-response content reject if { res.len gt 3 }", "", LIVE, "s3e", "r3s4e",
	  .code = "PD", .saw_client = "EOF", .bytes = -1 },
	{ "killed", "", "", "", LIVE, "s3r4be", "r3s4be", .cli = "shutdown sessions server be_killed/s1",
	  .code = "K-", .bytes = 4 },
	{ "server_down", "", "", "on-marked-down shutdown-sessions", LIVE, "s3r4be", "r3s4be",
	  .cli = "set server be_server_down/s1 state maint", .code = "D-", .bytes = 4 },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* A row while it is played. */
struct play {
	const struct row *row;
	bool wanted;
	int front, origin; /* listening sockets */
	struct sockaddr_in front_addr, origin_addr;
	pthread_barrier_t barrier;
	pthread_mutex_t mutex;
	pthread_cond_t logged;
	char line[1024];   /* the first one in the log */
	char saw_client[40], saw_server[40];
};

static struct play plays[ROWS];
static char stats_path[200], *payload;
static int failures, slower = 1;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void deadline_in(struct timespec *ts, int ms)
{
	clock_gettime(CLOCK_REALTIME, ts);
	ts->tv_sec += ms / 1000;
}

/* ---- a side ------------------------------------------------------------------------------ */

static bool wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, GIVE_UP_MS) == 1;
}

static void side_send(int fd, long n)
{
	enum { PIECE = 1 << 16 };

	while (n > 0 && wait_for(fd, POLLOUT)) {
		ssize_t sent = send(fd, payload, n < PIECE ? (size_t)n : PIECE,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EAGAIN)
			continue;
		if (sent < 0)
			return; /* what it sees at its end tells more */
		n -= sent;
	}
}

static void side_receive(int fd, long n)
{
	char buf[65536];

	while (n > 0 && wait_for(fd, POLLIN)) {
		ssize_t got = recv(fd, buf, n < (long)sizeof(buf) ? (size_t)n : sizeof(buf), 0);

		if (got <= 0)
			return;
		n -= got;
	}
}

static void side_end(int fd, char saw[static 40])
{
	static char sink[1 << 16]; /* nobody looks at it */
	long total = 0;
	ssize_t got;

	do {
		if (!wait_for(fd, POLLIN)) {
			strcpy(saw, "open");
			return;
		}
		got = recv(fd, sink, sizeof(sink), 0);
		total += got > 0 ? got : 0;
	} while (got > 0);
	if (total >= MANY)
		snprintf(saw, 40, "%s+many", got ? "RST" : "EOF");
	else if (total)
		snprintf(saw, 40, "%s+%ld", got ? "RST" : "EOF", total);
	else
		strcpy(saw, got ? "RST" : "EOF");
}

static void side_await_line(struct play *p)
{
	struct timespec until;

	deadline_in(&until, GIVE_UP_MS);
	pthread_mutex_lock(&p->mutex);
	while (!p->line[0] && pthread_cond_timedwait(&p->logged, &p->mutex, &until) == 0)
		;
	pthread_mutex_unlock(&p->mutex);
}

static void say_cli(const char *command)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char answer[1000];

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s", stats_path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sun, sizeof(sun)))
		die(stats_path);
	dprintf(fd, "%s\n", command);
	while (read(fd, answer, sizeof(answer)) > 0)
		;
	close(fd);
}

static void side_play(struct play *p, int fd, const char *steps, char saw[static 40], bool client)
{
	const struct linger reset = { .l_onoff = 1 };

	while (*steps) {
		char step = *steps++, *rest;
		long n = strtol(steps, &rest, 10);

		steps = rest;
		switch (step) {
		case 's': side_send(fd, n); break;
		case 'r': side_receive(fd, n); break;
		case 'e': side_end(fd, saw); break;
		case 'f': shutdown(fd, SHUT_WR); break;
		case 'l': side_await_line(p); break;
		case 'x':
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
			break;
		case 'b':
			pthread_barrier_wait(&p->barrier);
			if (client && p->row->cli)
				say_cli(p->row->cli);
			break;
		default: break;
		}
	}
	close(fd);
}

static int connect_front(struct play *p)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&p->front_addr, sizeof(p->front_addr)))
		die("connect");
	return fd;
}

static void *client_thread(void *arg)
{
	struct play *p = arg;

	side_play(p, connect_front(p), p->row->client, p->saw_client, true);
	return NULL;
}

/* Comes when the first client has the server for itself. */
static void *second_thread(void *arg)
{
	struct play *p = arg;

	pthread_barrier_wait(&p->barrier);
	p->saw_client[0] = 0;
	side_play(p, connect_front(p), p->row->second, p->saw_client, false);
	return NULL;
}

static void *server_thread(void *arg)
{
	struct play *p = arg;
	int fd;

	if (!wait_for(p->origin, POLLIN) || (fd = accept(p->origin, NULL, NULL)) < 0)
		return NULL;
	side_play(p, fd, p->row->answer, p->saw_server, false);
	return NULL;
}

/* ---- around it --------------------------------------------------------------------------- */

static int listen_on(struct sockaddr_in *addr, int backlog)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(*addr);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)addr, len) || getsockname(fd, (struct sockaddr *)addr, &len) ||
	    (backlog >= 0 && listen(fd, backlog)))
		die("listen");
	return fd;
}

/* A full queue of connections that nobody accepts: further SYNs are ignored. */
static void fill(const struct sockaddr_in *addr)
{
	for (int i = 0; i < PENDING; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) && errno != EINPROGRESS)
			die("fill");
	}
}

/* Lines of the configuration, with times in ms as long as they are to be. */
static void put_lines(const char *text, FILE *config)
{
	while (*text) {
		size_t digits = strspn(text, "0123456789");

		if (digits && !strncmp(text + digits, "ms", 2)) {
			fprintf(config, "%d", atoi(text) * slower);
			text += digits;
		} else {
			fputc(*text++, config);
		}
	}
}

static void prepare(struct play *p, FILE *config)
{
	const struct row *r = p->row;

	p->front = listen_on(&p->front_addr, 100);
	p->origin = listen_on(&p->origin_addr, r->origin == LIVE ? 100 : r->origin == IGNORES ? 0 : -1);
	fcntl(p->origin, F_SETFD, FD_CLOEXEC);
	if (r->origin == IGNORES)
		fill(&p->origin_addr);
	pthread_barrier_init(&p->barrier, NULL, 2);
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->logged, NULL);
	fprintf(config, "frontend %s\n bind fd@%d\n default_backend be_%s\n ", r->name, p->front,
		r->name);
	put_lines(r->front, config);
	fprintf(config, "\nbackend be_%s\n ", r->name);
	put_lines(r->back, config);
	fputc('\n', config);
	if (r->origin != ABSENT)
		fprintf(config, " server s1 127.0.0.1:%d %s\n", ntohs(p->origin_addr.sin_port),
			r->server);
}

static void note_line(char *line)
{
	const char *name = strstr(line, "] "), *end;

	end = name ? strchr(name += 2, ' ') : NULL;
	for (struct play *p = plays; end && p < plays + ROWS; p++) {
		if (strlen(p->row->name) != (size_t)(end - name) ||
		    strncmp(p->row->name, name, (size_t)(end - name)) != 0)
			continue;
		pthread_mutex_lock(&p->mutex);
		if (!p->line[0])
			snprintf(p->line, sizeof(p->line), "%.1000s", line);
		pthread_cond_broadcast(&p->logged);
		pthread_mutex_unlock(&p->mutex);
	}
}

static void *collector_thread(void *arg)
{
	char line[2048];
	ssize_t n;

	while ((n = recv(*(int *)arg, line, sizeof(line) - 1, 0)) >= 0) {
		line[n] = 0;
		note_line(line);
	}
	return NULL;
}

static void complain(const struct play *p, const char *what, const char *got, const char *expected)
{
	printf("FAILED  %s: %s '%s' instead of '%s'; log: %s\n", p->row->name, what, got, expected,
	       p->line[0] ? p->line : "none\n");
	failures++;
}

static bool differs(const struct play *p, const char *what, const char *got, const char *expected)
{
	if (!expected || !strcmp(got, expected))
		return false;
	complain(p, what, got, expected);
	return true;
}

static void judge(const struct play *p)
{
	const struct row *r = p->row;
	int wait, connected, total, bytes;
	const char *at = strstr(p->line, "] ");
	char code[3];

	if (!at || sscanf(at, "] %*s %*s %d/%d/%d %d %2s ", &wait, &connected, &total, &bytes, code) != 5) {
		complain(p, "line", p->line, "one of option tcplog");
		return;
	}
	if (differs(p, "code", code, r->code) ||
	    differs(p, "client saw", p->saw_client, r->saw_client) ||
	    differs(p, "server saw", p->saw_server, r->saw_server))
		return;
	if ((r->after && total + 20 < r->after * slower) ||
	    (r->before && total > r->before * slower))
		complain(p, "time", "", "");
	else if (r->bytes >= 0 && bytes != r->bytes)
		complain(p, "bytes", "", "");
	else
		printf("ok      %-40s %s\n", r->name, code);
}

/* Its messages go to FOLDER/messages. */
static pid_t start(const char *program, const char *folder, const char *config)
{
	pid_t pid = fork();
	char path[200];

	if (pid)
		return pid;
	snprintf(path, sizeof(path), "%s/messages", folder);
	if (!freopen(path, "w", stderr))
		_exit(1);
	execlp(program, program, "-db", "-f", config, (char *)NULL);
	_exit(127);
}

static void choose(int argc, char **argv)
{
	for (int i = 0; i < ROWS; i++) {
		plays[i].row = &rows[i];
		plays[i].wanted = argc < 4;
		for (int a = 3; a < argc; a++)
			plays[i].wanted |= !strcmp(argv[a], rows[i].name);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[ROWS][3], collector;
	struct sockaddr_in log_addr = { .sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(log_addr);
	int log_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char path[200];
	FILE *config;
	pid_t pid;

	if (argc < 3)
		return 2;
	if (getenv("SLOWER"))
		slower = atoi(getenv("SLOWER"));
	payload = calloc(1, 1 << 16);
	signal(SIGPIPE, SIG_IGN);
	snprintf(path, sizeof(path), "%s/endings.cfg", argv[2]);
	snprintf(stats_path, sizeof(stats_path), "%s/endings.sock", argv[2]);
	config = fopen(path, "w");
	if (!payload || !config || bind(log_fd, (struct sockaddr *)&log_addr, len) ||
	    getsockname(log_fd, (struct sockaddr *)&log_addr, &len))
		die(path);
	fprintf(config, "global\n stats socket %s level admin\n log 127.0.0.1:%d format raw local0\n"
		"defaults\n mode tcp\n log global\n option tcplog\n retries 0\n timeout client 60s\n"
		" timeout server 60s\n timeout connect 60s\n %s\n", stats_path,
		ntohs(log_addr.sin_port), getenv("LINES_OF_DEFAULTS") ? getenv("LINES_OF_DEFAULTS") : "");
	choose(argc, argv);
	for (int i = 0; i < ROWS; i++)
		if (plays[i].wanted)
			prepare(&plays[i], config);
	fclose(config);
	for (int i = 0; i < ROWS; i++)
		if (plays[i].wanted && plays[i].row->origin == REFUSES)
			close(plays[i].origin);
	pid = start(argv[1], argv[2], path);
	pthread_create(&collector, NULL, collector_thread, &log_fd);
	for (int i = 0; i < ROWS; i++) {
		struct play *p = &plays[i];

		if (!p->wanted)
			continue;
		pthread_create(&threads[i][0], NULL, client_thread, p);
		if (p->row->second)
			pthread_create(&threads[i][1], NULL, second_thread, p);
		if (p->row->origin == LIVE && p->row->answer[0])
			pthread_create(&threads[i][2], NULL, server_thread, p);
	}
	for (int i = 0; i < ROWS; i++) {
		struct play *p = &plays[i];

		if (!p->wanted)
			continue;
		pthread_join(threads[i][0], NULL);
		if (p->row->second)
			pthread_join(threads[i][1], NULL);
		side_await_line(p);
		if (p->row->origin == LIVE && p->row->answer[0])
			pthread_join(threads[i][2], NULL);
		judge(p);
	}
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	return failures > 0;
}
