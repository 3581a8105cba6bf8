/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp: what measures relays of datagrams.
 *
 *   udp floor LISTEN:PORT SERVER:PORT   the barest relay by recvmmsg and sendmmsg: the yardstick
 *   udp echo LISTEN:PORT                answers with what it gets
 *   udp load TARGET:PORT CLIENTS WINDOW SIZE SECONDS [rows]
 *
 * floor: one thread, level-triggered epoll, a connected socket a session found by a plain hash, no
 * limits, no time-outs, no statistics: a session lasts as long as the process. Answers of a turn
 * leave by one sendmmsg, as in Penstock.
 *
 * load: each client has WINDOW datagrams under way, with numbers, and sends the next one when one
 * has come back; rows: what it sends at a time is given to the kernel as one (UDP_SEGMENT). Prints
 * answers, those that were lost (nothing came for a second), doubled or mixed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, ANSWERS = 16, ROOM = 2048, TABLE = 65536, EVENTS = 200 };

static struct mmsghdr in[BATCH], out[BATCH], up[BATCH];
static struct iovec in_iov[BATCH], out_iov[BATCH], up_iov[BATCH];
static struct sockaddr_in in_from[BATCH], out_to[BATCH];
static char in_memory[BATCH][ROOM], out_memory[BATCH][ROOM];

static int bound_socket(const struct sockaddr_in *a)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), big = 4 << 20;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &big, sizeof(big));
	if (bind(fd, (const struct sockaddr *)a, sizeof(*a)) < 0) {
		perror("bind");
		exit(1);
	}
	return fd;
}

static struct sockaddr_in address_of(const char *text)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	char host[64];
	int port;

	if (sscanf(text, "%63[^:]:%d", host, &port) != 2 || !inet_aton(host, &a.sin_addr)) {
		fprintf(stderr, "'%s' is no address\n", text);
		exit(1);
	}
	a.sin_port = htons((uint16_t)port);
	return a;
}

static void prepare(void)
{
	int i;

	for (i = 0; i < BATCH; i++) {
		in_iov[i] = (struct iovec){ in_memory[i], ROOM };
		in[i].msg_hdr = (struct msghdr){ .msg_name = &in_from[i],
						 .msg_namelen = sizeof(in_from[i]),
						 .msg_iov = &in_iov[i], .msg_iovlen = 1 };
		out_iov[i] = (struct iovec){ out_memory[i], ROOM };
		out[i].msg_hdr = (struct msghdr){ .msg_iov = &out_iov[i], .msg_iovlen = 1 };
		up[i].msg_hdr = (struct msghdr){ .msg_iov = &up_iov[i], .msg_iovlen = 1 };
	}
}

/* ---- floor ------------------------------------------------------------------------------- */

struct session {
	int fd;
	int first, last; /* in the batch; -1 */
	struct sockaddr_in client;
	struct session *next;
};

static struct session *table[TABLE];
static int poller, listener, answers, next_of[BATCH];
static struct session *owner[BATCH];
static struct sockaddr_in server;

static struct session *find(const struct sockaddr_in *client)
{
	uint32_t hash = (client->sin_addr.s_addr + client->sin_port) * 0x9e3779b1u >> 16;
	struct session *s = table[hash];
	struct epoll_event ev = { .events = EPOLLIN };

	while (s && (s->client.sin_port != client->sin_port ||
		     s->client.sin_addr.s_addr != client->sin_addr.s_addr))
		s = s->next;
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	s->client = *client;
	s->first = -1;
	s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (connect(s->fd, (struct sockaddr *)&server, sizeof(server)) < 0)
		perror("connect");
	s->next = table[hash];
	table[hash] = s;
	ev.data.ptr = s;
	epoll_ctl(poller, EPOLL_CTL_ADD, s->fd, &ev);
	return s;
}

static void forward(struct session *s)
{
	int n = 0, i;

	for (i = s->first; i >= 0; i = next_of[i]) {
		up_iov[n++] = (struct iovec){ in_memory[i], in[i].msg_len };
		owner[i] = NULL;
	}
	s->first = -1;
	if (n == 1)
		send(s->fd, up_iov[0].iov_base, up_iov[0].iov_len, MSG_DONTWAIT);
	else
		sendmmsg(s->fd, up, (unsigned)n, MSG_DONTWAIT);
}

static void from_clients(void)
{
	int rounds, n, i;

	for (rounds = 0; rounds < 4; rounds++) {
		n = recvmmsg(listener, in, BATCH, MSG_DONTWAIT, NULL);
		for (i = 0; i < n; i++) {
			struct session *s = find(&in_from[i]);

			owner[i] = s;
			next_of[i] = -1;
			if (s->first < 0)
				s->first = i;
			else
				next_of[s->last] = i;
			s->last = i;
		}
		for (i = 0; i < n; i++)
			if (owner[i])
				forward(owner[i]);
		if (n < BATCH)
			return;
	}
}

static void flush_answers(void)
{
	int done = 0, n;

	while (done < answers) {
		n = sendmmsg(listener, out + done, (unsigned)(answers - done), MSG_DONTWAIT);
		done += n > 0 ? n : 1;
	}
	answers = 0;
}

static void from_server(struct session *s)
{
	int most, n, i;

	do {
		if (answers == BATCH)
			flush_answers();
		most = BATCH - answers < ANSWERS ? BATCH - answers : ANSWERS;
		for (i = answers; i < answers + most; i++) {
			out_iov[i].iov_len = ROOM;
			out[i].msg_hdr.msg_name = NULL;
			out[i].msg_hdr.msg_namelen = 0;
		}
		n = recvmmsg(s->fd, out + answers, (unsigned)most, MSG_DONTWAIT, NULL);
		for (i = 0; i < n; i++) {
			int at = answers + i;

			out_iov[at].iov_len = out[at].msg_len;
			out_to[at] = s->client;
			out[at].msg_hdr.msg_name = &out_to[at];
			out[at].msg_hdr.msg_namelen = sizeof(out_to[at]);
		}
		answers += n > 0 ? n : 0;
	} while (n == most);
}

static __attribute__((noreturn)) void run_floor(char **argv)
{
	struct sockaddr_in at = address_of(argv[0]);
	struct epoll_event ev = { .events = EPOLLIN }, events[EVENTS];
	int n, i;

	server = address_of(argv[1]);
	prepare();
	poller = epoll_create1(0);
	listener = bound_socket(&at);
	epoll_ctl(poller, EPOLL_CTL_ADD, listener, &ev);
	for (;;) {
		n = epoll_wait(poller, events, EVENTS, -1);
		for (i = 0; i < n; i++)
			if (events[i].data.ptr)
				from_server(events[i].data.ptr);
			else
				from_clients();
		flush_answers();
	}
}

/* ---- echo -------------------------------------------------------------------------------- */

static __attribute__((noreturn)) void run_echo(char **argv)
{
	struct sockaddr_in at = address_of(argv[0]);
	struct epoll_event ev = { .events = EPOLLIN };
	int fd = bound_socket(&at), n, i, done;

	prepare();
	poller = epoll_create1(0);
	epoll_ctl(poller, EPOLL_CTL_ADD, fd, &ev);
	for (;;) {
		epoll_wait(poller, &ev, 1, -1);
		while ((n = recvmmsg(fd, in, BATCH, MSG_DONTWAIT, NULL)) > 0) {
			for (i = 0; i < n; i++)
				in_iov[i].iov_len = in[i].msg_len;
			for (done = 0; done < n; done += i > 0 ? i : 1)
				i = sendmmsg(fd, in + done, (unsigned)(n - done), MSG_DONTWAIT);
			for (i = 0; i < n; i++)
				in_iov[i].iov_len = ROOM;
		}
	}
}

/* ---- load -------------------------------------------------------------------------------- */

struct client {
	int fd;
	uint32_t sent, seen; /* numbers below were sent; below were seen, in order */
	double since;
};

struct head {
	uint32_t client, number;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool rows;

/* Returns how many have left. */
static int send_row(int fd, int n, size_t size)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(uint16_t))];
	} control = { .header = { CMSG_LEN(sizeof(uint16_t)), SOL_UDP, UDP_SEGMENT } };
	struct msghdr msg = { .msg_iov = up_iov, .msg_iovlen = (size_t)n, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	uint16_t value = (uint16_t)size;

	memcpy(CMSG_DATA(&control.header), &value, sizeof(value));
	return sendmsg(fd, &msg, MSG_DONTWAIT) < 0 ? 0 : n;
}

static void send_more(struct client *c, uint32_t id, int n, size_t size)
{
	int i, sent;

	for (i = 0; i < n; i++) {
		struct head head = { id, c->sent + (uint32_t)i };

		memcpy(in_memory[i], &head, sizeof(head));
		up_iov[i] = (struct iovec){ in_memory[i], size };
	}
	sent = rows ? send_row(c->fd, n, size) : sendmmsg(c->fd, up, (unsigned)n, MSG_DONTWAIT);
	c->sent += sent > 0 ? (uint32_t)sent : 0;
	c->since = now();
}

static int run_load(char **argv)
{
	struct sockaddr_in to = address_of(argv[0]);
	int count = atoi(argv[1]), window = atoi(argv[2]), i, j, n, got;
	size_t size = (size_t)atoi(argv[3]);
	double end = now() + atof(argv[4]), begun = now();
	struct client *clients = calloc((size_t)count, sizeof(*clients));
	uint64_t answered = 0, lost = 0, doubled = 0, mixed = 0;
	struct epoll_event ev = { .events = EPOLLIN }, events[EVENTS];

	prepare();
	poller = epoll_create1(0);
	for (i = 0; i < count; i++) {
		clients[i].fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		if (connect(clients[i].fd, (struct sockaddr *)&to, sizeof(to)) < 0)
			perror("connect");
		ev.data.u32 = (uint32_t)i;
		epoll_ctl(poller, EPOLL_CTL_ADD, clients[i].fd, &ev);
		send_more(&clients[i], (uint32_t)i, window, size);
	}
	while (now() < end) {
		n = epoll_wait(poller, events, EVENTS, 100);
		for (i = 0; i < n; i++) {
			struct client *c = &clients[events[i].data.u32];

			for (j = 0; j < BATCH; j++)
				out[j].msg_hdr.msg_namelen = 0;
			got = recvmmsg(c->fd, out, BATCH, MSG_DONTWAIT, NULL);
			for (j = 0; j < got; j++) {
				struct head head;

				memcpy(&head, out_memory[j], sizeof(head));
				mixed += head.client != events[i].data.u32 ||
					 out[j].msg_len != size;
				if (head.number < c->seen)
					doubled++;
				else {
					lost += head.number - c->seen;
					c->seen = head.number + 1;
					answered++;
				}
			}
			if (got > 0)
				send_more(c, events[i].data.u32, window - (int)(c->sent - c->seen),
					  size);
		}
		for (i = 0; n < EVENTS && i < count; i++)
			if (clients[i].since + 1 < now()) {
				lost += clients[i].sent - clients[i].seen;
				clients[i].seen = clients[i].sent;
				send_more(&clients[i], (uint32_t)i, window, size);
			}
	}
	printf("answered %llu lost %llu doubled %llu mixed %llu rate %.0f\n",
	       (unsigned long long)answered, (unsigned long long)lost, (unsigned long long)doubled,
	       (unsigned long long)mixed, (double)answered / (now() - begun));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "floor"))
		run_floor(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "echo"))
		run_echo(argv + 2);
	rows = argc == 8 && !strcmp(argv[7], "rows");
	if ((argc == 7 || rows) && !strcmp(argv[1], "load"))
		return run_load(argv + 2);
	fprintf(stderr, "usage: see the head of contrib/bench/udp.c\n");
	return 2;
}
