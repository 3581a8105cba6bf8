/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other ends of ./quickstart, so that it needs no other program:
 *
 *   demo serve AT NAME      an HTTP/1.0 origin: GET / answers NAME, GET /bulk/N sends N bytes
 *   demo ask AT COUNT       asks COUNT times, prints "NAME ANSWERS" for each name, sorted
 *   demo bulk AT BYTES      fetches BYTES, compares each with what it should be, prints seconds
 *   demo get AT PATH        fetches a page and prints it
 *   demo cli SOCKET TEXT    sends TEXT to a stats socket and prints the answer
 *   demo free AT...         prints the first of these that can be listened on
 *
 * AT is PORT, on 127.0.0.1, or ADDRESS:PORT. It blocks where it likes, one process a connection:
 * this is neither fast nor an example for anything but a short demonstration.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The period of the bulk bytes is a prime: no offset that is a power of two looks the same. */
#define DEMO_PERIOD 65521
#define DEMO_NAMES 16

static uint8_t demo_bytes[DEMO_PERIOD * 2];

static void demo_die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "unexpected answer");
	exit(1);
}

static void demo_fill(void)
{
	uint32_t x = 2463534242;
	size_t i;

	for (i = 0; i < DEMO_PERIOD; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		demo_bytes[i] = demo_bytes[i + DEMO_PERIOD] = x;
	}
}

static struct sockaddr_in demo_address(const char *at)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	const char *colon = strchr(at, ':');
	char host[INET_ADDRSTRLEN] = "127.0.0.1";

	if (colon)
		snprintf(host, sizeof(host), "%.*s", (int)(colon - at), at);
	if (inet_pton(AF_INET, host, &addr.sin_addr) != 1) {
		fprintf(stderr, "%s: no address\n", at);
		exit(2);
	}
	addr.sin_port = htons(atoi(colon ? colon + 1 : at));
	return addr;
}

static int demo_connect(const char *at)
{
	struct sockaddr_in addr = demo_address(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		demo_die("connect");
	return fd;
}

/* -1 if it is taken. */
static int demo_listen(const char *at)
{
	struct sockaddr_in addr = demo_address(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		demo_die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 128)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool demo_write(int fd, const void *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n <= 0)
			return false;
		data = (const char *)data + n;
		len -= n;
	}
	return true;
}

/* Reads until `stop` was seen (NULL: until the end). Returns the length; text ends with a NUL. */
static size_t demo_read(int fd, char *text, size_t size, const char *stop)
{
	size_t len = 0;
	ssize_t n;

	while (len + 1 < size && (n = read(fd, text + len, size - 1 - len)) > 0) {
		len += n;
		text[len] = '\0';
		if (stop && strstr(text, stop))
			break;
	}
	text[len] = '\0';
	return len;
}

/* -- the origin ------------------------------------------------------------------------------ */

static void demo_send_bulk(int fd, uint64_t len)
{
	uint64_t pos = 0;

	while (pos < len) {
		uint64_t n = len - pos < DEMO_PERIOD ? len - pos : DEMO_PERIOD;

		if (!demo_write(fd, demo_bytes + pos % DEMO_PERIOD, n))
			return;
		pos += n;
	}
}

static void demo_answer(int fd, const char *name)
{
	char text[4096];
	char body[64] = "";
	unsigned long long len;

	if (!demo_read(fd, text, sizeof(text), "\r\n\r\n"))
		return; /* a health check: connects and goes */
	if (sscanf(text, "GET /bulk/%llu ", &len) != 1)
		len = snprintf(body, sizeof(body), "%s\n", name);
	snprintf(text, sizeof(text),
		 "HTTP/1.0 200 OK\r\nContent-Type: %s\r\nContent-Length: %llu\r\n\r\n",
		 body[0] ? "text/plain" : "application/octet-stream", len);
	if (!demo_write(fd, text, strlen(text)))
		return;
	if (body[0])
		demo_write(fd, body, len);
	else
		demo_send_bulk(fd, len);
}

static int demo_serve(const char *at, const char *name)
{
	int listener = demo_listen(at);

	if (listener < 0)
		demo_die(at);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			continue;
		if (fork() == 0) {
			demo_answer(fd, name);
			_exit(0);
		}
		close(fd);
	}
}

/* -- the client ------------------------------------------------------------------------------ */

/* Sends a request and reads the head; returns where the body starts, its length so far in *len. */
static char *demo_request(int fd, const char *path, char *text, size_t size, size_t *len)
{
	char *body;
	int n = snprintf(text, size, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", path);

	errno = 0;
	if (!demo_write(fd, text, n))
		demo_die("write");
	*len = demo_read(fd, text, size, "\r\n\r\n");
	body = strstr(text, "\r\n\r\n");
	if (!body || (strncmp(text, "HTTP/1.0 200 ", 13) && strncmp(text, "HTTP/1.1 200 ", 13)))
		demo_die("no answer");
	body += 4;
	*len -= body - text;
	return body;
}

static int demo_by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int demo_ask(const char *at, int count)
{
	struct {
		char name[64];
		int answers;
	} seen[DEMO_NAMES] = { 0 };
	int i, k, used = 0;

	for (i = 0; i < count; i++) {
		char text[4096];
		size_t len;
		int fd = demo_connect(at);
		char *name = demo_request(fd, "/", text, sizeof(text), &len);

		demo_read(fd, name + len, text + sizeof(text) - name - len, NULL);
		close(fd);
		name[strcspn(name, "\n")] = '\0';
		for (k = 0; k < used && strcmp(seen[k].name, name); k++)
			;
		if (k == DEMO_NAMES)
			demo_die("too many names");
		if (k == used)
			snprintf(seen[used++].name, sizeof(seen[0].name), "%.60s", name);
		seen[k].answers++;
	}
	qsort(seen, used, sizeof(seen[0]), demo_by_name);
	for (k = 0; k < used; k++)
		printf("%s %d\n", seen[k].name, seen[k].answers);
	return 0;
}

static double demo_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Compares bytes that belong at `pos`; a read is never longer than DEMO_PERIOD. */
static void demo_compare(uint64_t pos, const void *data, size_t len)
{
	if (memcmp(data, demo_bytes + pos % DEMO_PERIOD, len)) {
		fprintf(stderr, "wrong bytes after %llu\n", (unsigned long long)pos);
		exit(1);
	}
}

static int demo_bulk(const char *at, uint64_t want)
{
	static char text[DEMO_PERIOD + 1];
	char path[64];
	double start = demo_now();
	int fd = demo_connect(at);
	size_t len;
	char *body;
	uint64_t pos;
	ssize_t n;

	snprintf(path, sizeof(path), "/bulk/%llu", (unsigned long long)want);
	body = demo_request(fd, path, text, sizeof(text), &len);
	demo_compare(0, body, len);
	for (pos = len; (n = read(fd, text, DEMO_PERIOD)) > 0; pos += n)
		demo_compare(pos, text, n);
	if (n < 0)
		demo_die("read");
	if (pos != want) {
		fprintf(stderr, "got %llu of %llu bytes\n", (unsigned long long)pos,
			(unsigned long long)want);
		return 1;
	}
	printf("%.3f\n", demo_now() - start);
	return 0;
}

static int demo_get(const char *at, const char *path)
{
	static char text[1 << 20];
	int fd = demo_connect(at);
	size_t len;
	char *body = demo_request(fd, path, text, sizeof(text), &len);

	demo_read(fd, body + len, text + sizeof(text) - body - len, NULL);
	fputs(body, stdout);
	return 0;
}

static int demo_cli(const char *path, const char *command)
{
	static char text[1 << 20];
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(addr.sun_path)) {
		fprintf(stderr, "%s: path too long for a socket\n", path);
		return 1;
	}
	strcpy(addr.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		demo_die(path);
	if (!demo_write(fd, command, strlen(command)) || !demo_write(fd, "\n", 1))
		demo_die("write");
	demo_read(fd, text, sizeof(text), NULL);
	fputs(text, stdout);
	return 0;
}

static int demo_free(char **at)
{
	for (; *at; at++) {
		if (demo_listen(*at) >= 0) {
			puts(*at);
			return 0;
		}
	}
	return 1;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	demo_fill();
	if (!strcmp(verb, "free"))
		return demo_free(argv + 2);
	if (argc == 4 && !strcmp(verb, "serve"))
		return demo_serve(argv[2], argv[3]);
	if (argc == 4 && !strcmp(verb, "ask"))
		return demo_ask(argv[2], atoi(argv[3]));
	if (argc == 4 && !strcmp(verb, "bulk"))
		return demo_bulk(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(verb, "get"))
		return demo_get(argv[2], argv[3]);
	if (argc == 4 && !strcmp(verb, "cli"))
		return demo_cli(argv[2], argv[3]);
	fprintf(stderr, "usage: demo serve AT NAME | ask AT COUNT | bulk AT BYTES |"
			" get AT PATH | cli SOCKET TEXT | free AT...\n");
	return 2;
}
