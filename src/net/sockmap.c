/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of sockets and the program that passes on what they receive. doc/internals/kernel.md
 * explains the program line by line. Called by relay/kernel.c alone; nothing here knows pumps.
 *
 * Four maps: "sources" runs the program for what its sockets receive, "targets" says where that
 * goes, both by the cookie of the source; "numbers" gives the route of a cookie; "routes" is the
 * shared memory. A ring tells which routes want to be looked at. */
#include "net/sockmap.h"

#include "base/bug.h"
#include "base/clock.h"
#include "net/bpf.h"
#include "net/bpf_code.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RING_BYTES_A_ROUTE = 16, /* a header and a record; a route has at most one in it */
       REUSE_MS = 1000 };       /* the program may be running for the one who had it */

static int sources = -1, targets = -1, numbers = -1, routes = -1, ring = -1, program = -1;
static unsigned route_count;
static struct sockmap_route *route_memory;
static volatile uint64_t *ring_seen;      /* we have read so far */
static const volatile uint64_t *ring_end; /* the program has written so far */
static const char *ring_data;
static size_t ring_size;

/* One for each route; those that are free, in the order in which they were given back. */
static struct place {
	int next;
	uint64_t free_ms; /* from when on */
	uint64_t cookie;  /* of the source; 0: none */
} *places;
static int free_first, free_last;

/* ---- the program --------------------------------------------------------------------------- */

enum { CTX = R6, ROUTE = R7, LEN = R8, SEQ = R9 };
/* On the stack: the source's cookie; the number of its route. */
enum { COOKIE = -8, NUMBER = -16 };

enum label { IN_ORDER = 1, DECIDE, SEND, TELL_AND_SEND, PASS, PASS_UNSEEN, FAULT, DROP };
/* Maps of the program, in the order of program_load. */
enum { MAP_TARGETS, MAP_NUMBERS, MAP_ROUTES, MAP_RING };

#define FIELD(name) offsetof(struct sockmap_route, name)
#define SKB(name) offsetof(struct __sk_buff, name)

/* Sets the route's mark. Unless it was set before, a record says so. The instruction behind it is
 * the place for both cases. */
#define TELL                                                                             \
	SET_N(R1, 1), EXCHANGE(ROUTE, FIELD(told), R1), IF_N(BPF_JNE, R1, 0, -7),        \
	MAP(R1, MAP_RING), SET(R2, STACK), ADD_N(R2, NUMBER), SET_N(R3, 8), SET_N(R4, 0), \
	CALL(ringbuf_output)

/* The kernel cuts at most 4095 bytes a call. SEQ: how many are left to cut. */
#define CUT                                                                          \
	SET(R2, SEQ), INSN(BPF_JMP | BPF_JLE | BPF_K, R2, 0, -1, 4095), SET_N(R2, 4095), \
	SUB(SEQ, R2), NEG(R2), SET(R1, CTX), SET_N(R3, 0), SET_N(R4, 0),             \
	CALL(skb_adjust_room), IF_N(BPF_JNE, R0, 0, FAULT)
#define CUT_8 CUT, CUT, CUT, CUT, CUT, CUT, CUT, CUT

static const struct bpf_insn code[] = {
	SET(CTX, R1),
	/* whose is it? */
	CALL(get_socket_cookie),
	STORE64(STACK, COOKIE, R0),
	MAP(R1, MAP_NUMBERS), SET(R2, STACK), ADD_N(R2, COOKIE),
	CALL(map_lookup_elem),
	IF_N(BPF_JEQ, R0, 0, PASS_UNSEEN),
	LOAD32(R1, R0, 0),
	STORE32(STACK, NUMBER, R1),
	STORE32_N(STACK, NUMBER + 4, 0),
	MAP(R1, MAP_ROUTES), SET(R2, STACK), ADD_N(R2, NUMBER),
	CALL(map_lookup_elem),
	IF_N(BPF_JEQ, R0, 0, PASS_UNSEEN),
	SET(ROUTE, R0),
	LOAD64(R1, ROUTE, FIELD(fault)),
	IF_N(BPF_JNE, R1, 0, FAULT),
	/* a FIN alone: TCP knows of it, and in a psock's queue it would be an error of the socket */
	LOAD32(LEN, CTX, SKB(len)),
	IF_N(BPF_JEQ, LEN, 0, DROP),
	/* does it begin where the last one ended? */
	LOAD32(SEQ, CTX, SKB(cb[0])),
	LOAD32(R1, ROUTE, FIELD(synced)),
	IF_N(BPF_JEQ, R1, 0, IN_ORDER),
	LOAD32(R1, ROUTE, FIELD(next_seq)),
	SUB32(R1, SEQ),
	IF_N(BPF_JEQ, R1, 0, IN_ORDER),
	/* R1 bytes of it came before: a gap, and what is all old, would be others' fault */
	IF(BPF_JGT, R1, LEN, FAULT),
	IF_N(BPF_JGT, R1, 16 * 4095, FAULT),
	ADD32(SEQ, LEN),
	STORE32(ROUTE, FIELD(next_seq), SEQ),
	SET(SEQ, R1),
	CUT_8, CUT_8,
	LOAD32(LEN, CTX, SKB(len)),
	IF_N(BPF_JEQ, LEN, 0, DROP),
	GOTO(DECIDE),
	LABEL(IN_ORDER),
	ADD32(SEQ, LEN),
	STORE32(ROUTE, FIELD(next_seq), SEQ),
	STORE32_N(ROUTE, FIELD(synced), 1),
	LABEL(DECIDE),
	/* not before what was left to us, and not beyond the limits */
	LOAD64(R1, ROUTE, FIELD(passed)),
	LOAD64(R2, ROUTE, FIELD(forwarded)),
	IF(BPF_JNE, R1, R2, PASS),
	LOAD64(R1, ROUTE, FIELD(relayed)),
	ADD(R1, LEN),
	LOAD64(R2, ROUTE, FIELD(bytes_until)),
	IF(BPF_JGT, R1, R2, PASS),
	LOAD64(R2, ROUTE, FIELD(segments)),
	LOAD64(R3, ROUTE, FIELD(segments_until)),
	IF(BPF_JGE, R2, R3, PASS),
	ADD_N(R2, 1),
	STORE64(ROUTE, FIELD(segments), R2),
	STORE64(ROUTE, FIELD(relayed), R1),
	LOAD64(R3, ROUTE, FIELD(bytes_low)),
	IF(BPF_JGT, R1, R3, TELL_AND_SEND),
	LOAD64(R3, ROUTE, FIELD(segments_low)),
	IF(BPF_JGT, R2, R3, TELL_AND_SEND),
	LABEL(SEND),
	SET(R1, CTX), MAP(R2, MAP_TARGETS), SET(R3, STACK), ADD_N(R3, COOKIE), SET_N(R4, 0),
	CALL(sk_redirect_hash),
	IF_N(BPF_JEQ, R0, SK_DROP, FAULT),
	RETURN,
	LABEL(TELL_AND_SEND),
	TELL,
	GOTO(SEND),
	LABEL(PASS),
	LOAD64(R1, ROUTE, FIELD(passed)),
	ADD(R1, LEN),
	LOAD64(R2, ROUTE, FIELD(forwarded)),
	LOAD64(R3, ROUTE, FIELD(passed_most)),
	ADD(R3, R2),
	IF(BPF_JGT, R1, R3, FAULT),
	STORE64(ROUTE, FIELD(passed), R1),
	TELL,
	LABEL(PASS_UNSEEN),
	SET_N(R0, SK_PASS),
	RETURN,
	LABEL(FAULT),
	STORE64_N(ROUTE, FIELD(fault), 1),
	TELL,
	LABEL(DROP),
	SET_N(R0, SK_DROP),
	RETURN,
};

enum { CODE_LEN = sizeof(code) / sizeof(*code) };

static int program_load(void)
{
	const int maps[] = { targets, numbers, routes, ring };
	struct bpf_insn linked[CODE_LEN];

	return bpf_program_load(&(struct bpf_program){
		.type = BPF_PROG_TYPE_SK_SKB,
		.attach_type = BPF_SK_SKB_VERDICT,
		.name = "penstock_relay",
		.code = linked,
		.len = bpf_code_link(linked, code, CODE_LEN, maps),
	}, NULL);
}

/* ---- maps ---------------------------------------------------------------------------------- */

static int map_create(unsigned type, unsigned key, unsigned value, unsigned entries, unsigned flags)
{
	return bpf_map_create("penstock", type, key, value, entries, flags);
}

static size_t routes_size(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (route_count * sizeof(struct sockmap_route) + page - 1) / page * page;
}

static int memory_map(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	p = mmap(NULL, routes_size(), PROT_READ | PROT_WRITE, MAP_SHARED, routes, 0);
	if (p == MAP_FAILED)
		return -1;
	route_memory = p;
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	if (p == MAP_FAILED)
		return -1;
	ring_seen = p;
	p = mmap(NULL, page + 2 * ring_size, PROT_READ, MAP_SHARED, ring, (off_t)page);
	if (p == MAP_FAILED)
		return -1;
	ring_end = p;
	ring_data = (const char *)p + page;
	return 0;
}

static int maps_create(void)
{
	ring_size = (size_t)sysconf(_SC_PAGESIZE);
	while (ring_size < (size_t)route_count * RING_BYTES_A_ROUTE)
		ring_size *= 2;
	sources = map_create(BPF_MAP_TYPE_SOCKHASH, 8, 4, route_count, 0);
	targets = map_create(BPF_MAP_TYPE_SOCKHASH, 8, 4, route_count, 0);
	numbers = map_create(BPF_MAP_TYPE_HASH, 8, 4, route_count, BPF_F_NO_PREALLOC);
	routes = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct sockmap_route), route_count,
			    BPF_F_MMAPABLE);
	ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, (unsigned)ring_size, 0);
	return sources < 0 || targets < 0 || numbers < 0 || routes < 0 || ring < 0 ? -1 : 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool sockmap_is_open(void)
{
	return route_memory != NULL;
}

void sockmap_close(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (route_memory)
		munmap(route_memory, routes_size());
	if (ring_seen)
		munmap((void *)ring_seen, page);
	if (ring_end)
		munmap((void *)ring_end, page + 2 * ring_size);
	route_memory = NULL;
	ring_seen = NULL;
	ring_end = NULL;
	free(places);
	places = NULL;
	close_fd(&program);
	close_fd(&sources);
	close_fd(&targets);
	close_fd(&numbers);
	close_fd(&routes);
	close_fd(&ring);
}

/* ---- the ring ------------------------------------------------------------------------------ */

int sockmap_fd(void)
{
	return ring;
}

int sockmap_next(void)
{
	const uint64_t seen = *ring_seen;
	const char *record = ring_data + (seen & (ring_size - 1));
	uint32_t header, number;

	if (seen >= __atomic_load_n(ring_end, __ATOMIC_ACQUIRE))
		return -1;
	header = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
	if (header & BPF_RINGBUF_BUSY_BIT)
		return -1;
	memcpy(&number, record + BPF_RINGBUF_HDR_SZ, sizeof(number));
	__atomic_store_n(ring_seen, seen + RING_BYTES_A_ROUTE, __ATOMIC_RELEASE);
	return number < route_count ? (int)number : -1;
}

/* ---- routes -------------------------------------------------------------------------------- */

struct sockmap_route *sockmap_route(int number)
{
	return &route_memory[number];
}

static void route_free(int number, uint64_t free_ms)
{
	places[number] = (struct place){ .next = -1, .free_ms = free_ms };
	if (free_last < 0)
		free_first = number;
	else
		places[free_last].next = number;
	free_last = number;
}

int sockmap_route_take(void)
{
	int number = free_first;

	if (number < 0 || places[number].free_ms > clock_now_ms)
		return -1;
	free_first = places[number].next;
	if (free_first < 0)
		free_last = -1;
	memset(&route_memory[number], 0, sizeof(struct sockmap_route));
	return number;
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	return cookie;
}

void sockmap_route_give(int number)
{
	if (places[number].cookie)
		bpf_map_remove(numbers, &places[number].cookie);
	route_free(number, clock_now_ms + REUSE_MS);
}

/* A socket is a target first: the program that runs for the other one finds it. */
unsigned sockmap_join(const int fd[2], const int route[2])
{
	uint64_t cookies[2] = { cookie_of(fd[0]), cookie_of(fd[1]) };
	int i;

	for (i = 0; i < 2; i++) {
		if (!cookies[i] || bpf_map_put(numbers, &cookies[i], &route[i]))
			return 0;
		places[route[i]].cookie = cookies[i];
	}
	for (i = 0; i < 2; i++)
		if (bpf_map_put(targets, &cookies[i], &fd[!i]))
			return 0;
	if (bpf_map_put(sources, &cookies[0], &fd[0]))
		return 0;
	return bpf_map_put(sources, &cookies[1], &fd[1]) ? SOCKMAP_FIRST :
						       SOCKMAP_FIRST | SOCKMAP_SECOND;
}

/* ---- the trial ----------------------------------------------------------------------------- */

/* Two ends of a connection of the loopback. */
static int pair_open(int fds[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener >= 0 && fds[0] >= 0 && !bind(listener, (struct sockaddr *)&a, sizeof(a)) &&
	    !listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&a, &len) &&
	    !connect(fds[0], (struct sockaddr *)&a, sizeof(a)))
		fds[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (listener >= 0)
		close(listener);
	return fds[1] < 0 ? -1 : 0;
}

enum { TRIAL_LEN = 7, TRIAL_MS = 2000 };

/* Bytes that are sent on one socket come on the other one. */
static bool trial_passes(int from, int to)
{
	struct pollfd fd = { .fd = to, .events = POLLIN };
	char bytes[2 * TRIAL_LEN];

	return send(from, "penstock", TRIAL_LEN, MSG_NOSIGNAL) == TRIAL_LEN &&
	       poll(&fd, 1, TRIAL_MS) == 1 &&
	       recv(to, bytes, sizeof(bytes), MSG_DONTWAIT) == TRIAL_LEN &&
	       !memcmp(bytes, "penstock", TRIAL_LEN);
}

/* What we rely on, and no document promises: who is told; the number of a segment's first byte; the
 * way from one socket to the other. */
static bool trial_holds(int client, const int relay[2], int server, const int number[2])
{
	struct sockmap_route *route = &route_memory[number[0]];
	uint32_t seq;

	route->passed_most = route_memory[number[1]].passed_most = 10 * TRIAL_LEN;
	if (!trial_passes(client, relay[0]) || sockmap_next() != number[0] ||
	    route->passed != TRIAL_LEN || route->relayed || !route->synced)
		return false;
	seq = route->next_seq;
	route->told = 0;
	route->forwarded = TRIAL_LEN;
	route->bytes_until = 3 * TRIAL_LEN;
	route->bytes_low = route->segments_until = route->segments_low = 10 * TRIAL_LEN;
	return trial_passes(client, server) && route->relayed == TRIAL_LEN &&
	       route->next_seq == seq + TRIAL_LEN && sockmap_next() == -1 &&
	       trial_passes(client, server) && route->relayed == 2 * TRIAL_LEN &&
	       trial_passes(server, relay[1]) && sockmap_next() == number[1];
}

static bool sockmap_try(void)
{
	int near[2] = { -1, -1 }, far[2] = { -1, -1 }, number[2], relay[2];
	bool holds = false;

	number[0] = sockmap_route_take();
	number[1] = sockmap_route_take();
	if (!pair_open(near) && !pair_open(far)) {
		relay[0] = near[1];
		relay[1] = far[0];
		holds = sockmap_join(relay, number) == (SOCKMAP_FIRST | SOCKMAP_SECOND) &&
			trial_holds(near[0], relay, far[1], number);
		sockmap_route_give(number[0]);
		sockmap_route_give(number[1]);
	}
	close_fd(&near[0]);
	close_fd(&near[1]);
	close_fd(&far[0]);
	close_fd(&far[1]);
	return holds;
}

int sockmap_open(unsigned count, struct err *err)
{
	int saved;
	unsigned i;

	route_count = count;
	free_first = free_last = -1;
	places = calloc(count, sizeof(*places));
	if (places && !maps_create() && (program = program_load()) >= 0 &&
	    !bpf_map_attach(sources, program, BPF_SK_SKB_VERDICT) && !memory_map()) {
		for (i = 0; i < count; i++)
			route_free((int)i, 0);
		if (sockmap_try())
			return 0;
		errno = EPROTO;
	}
	saved = errno;
	sockmap_close();
	if (saved == EPROTO)
		err_set(err, "this kernel passes bytes on in another way");
	else
		err_set(err, "%s", strerror(saved));
	return -1;
}
