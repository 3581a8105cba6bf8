/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of sockets, whose program (sockmap_program.c) passes on what they receive. Called by
 * src/kernel/ alone; nothing here knows pumps.
 *
 * "sources" runs the program for what its sockets receive, "targets" says where that goes, both by
 * the cookie of the source; "numbers" gives the route of a cookie; "routes" is the shared memory.
 * A ring tells which routes want to be looked at. */
#include "net/sockmap.h"

#include "base/clock.h"
#include "net/bpf.h"

#include "net/sockmap_program.h"
#include "net/sockmap_trial.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RING_BYTES_A_ROUTE = 16, /* a header and a record; a route has at most one in it */
       REUSE_MS = 1000 };       /* the program may be running for the one who had it */

static int sources = -1, targets = -1, numbers = -1, routes = -1, ring = -1;
static int program = -1;
static unsigned route_count;
static struct sockmap_route *route_memory;
static volatile uint64_t *ring_seen;      /* we have read so far */
static const volatile uint64_t *ring_end; /* the program has written so far */
static const char *ring_data;
static size_t ring_size;

/* One for each route; those that are free, in the order in which they were given back. */
static struct route_use {
	int next;
	uint64_t free_ms; /* from when on */
	uint64_t cookie;  /* of the source; 0: none */
} *uses;
static int free_first, free_last;

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

static int program_start(void)
{
	const int maps[SOCKMAP_MAPS] = { targets, numbers, routes, ring };

	program = sockmap_program_load(maps);
	return program < 0 ? -1 : bpf_map_attach(sources, program, BPF_SK_SKB_VERDICT);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
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
	free(uses);
	uses = NULL;
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

uint64_t sockmap_told(void)
{
	return __atomic_load_n(ring_end, __ATOMIC_ACQUIRE);
}

int sockmap_next(uint64_t end)
{
	const uint64_t seen = *ring_seen;
	const char *record = ring_data + (seen & (ring_size - 1));
	uint32_t header, number;

	if (seen >= end)
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
	uses[number] = (struct route_use){ .next = -1, .free_ms = free_ms };
	if (free_last < 0)
		free_first = number;
	else
		uses[free_last].next = number;
	free_last = number;
}

int sockmap_route_take(void)
{
	int number = free_first;

	if (number < 0 || uses[number].free_ms > clock_now_ms)
		return -1;
	free_first = uses[number].next;
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
	if (uses[number].cookie)
		bpf_map_remove(numbers, &uses[number].cookie);
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
		uses[route[i]].cookie = cookies[i];
	}
	for (i = 0; i < 2; i++)
		if (bpf_map_put(targets, &cookies[i], &fd[!i]))
			return 0;
	if (bpf_map_put(sources, &cookies[0], &fd[0]))
		return 0;
	return bpf_map_put(sources, &cookies[1], &fd[1]) ? SOCKMAP_FIRST :
						       SOCKMAP_FIRST | SOCKMAP_SECOND;
}

/* Lets in what has no bytes, and a RST; what is refused here TCP has never seen. The packet begins
 * with the header of TCP. */
int sockmap_hold(int fd)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x04, 6, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 12), /* words of the header, upper half */
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x3c),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = { .len = sizeof(code) / sizeof(*code), .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

void sockmap_let(int fd)
{
	const int unused = 0;

	setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused));
}

void sockmap_leave(const int route[2])
{
	int i;

	for (i = 0; i < 2; i++) {
		bpf_map_remove(sources, &uses[route[i]].cookie);
		bpf_map_remove(targets, &uses[route[i]].cookie);
	}
}

int sockmap_open(unsigned count, struct err *err)
{
	int saved;
	unsigned i;

	route_count = count;
	free_first = free_last = -1;
	uses = calloc(count, sizeof(*uses));
	if (uses && !maps_create() && !program_start() && !memory_map()) {
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
