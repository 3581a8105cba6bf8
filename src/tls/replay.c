/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which ClientHellos have brought early data within the last seconds (tls/replay.h; RFC 8446 8.2):
 * one memory of all workers. Called by early.c for each handshake with early data, by sessions.c
 * at start.
 *
 * A place is a word: 48 bits of the hash, 16 of the second in which it was taken. A set of eight is
 * chosen by the rest of the hash. Who takes a place looks at the whole set once more: of two that come
 * at the same moment in two workers at least one sees the other. Nothing is ever locked, and a
 * process that is killed leaves no more than a place that is free again after the window.
 *
 * Invariant: whatever is not certain is "seen before": it costs an honest client a round trip.
 */
#include "tls/replay.h"

#include "base/err.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x7365656e68656c6c) /* "seenhell" */
#define TAG_MASK (~UINT64_C(0) << 16)
enum { VERSION = 1, PAGE = 4096, WAYS = 8, SETS = 1 << 16 };

struct head {
	uint64_t magic;
	uint32_t version, sets;
	int64_t since;            /* older sessions may have been used before it was made; 0: none */
	_Atomic int64_t latest;   /* second of the wall clock that anybody has seen */
};

struct replay {
	struct head *head;
	_Atomic uint64_t *places;
	int fd;
};

static size_t replay_size(void)
{
	return PAGE + (size_t)SETS * WAYS * sizeof(uint64_t);
}

static struct replay *replay_map(int fd)
{
	int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
	struct replay *r = calloc(1, sizeof(*r));
	void *p = r ? mmap(NULL, replay_size(), PROT_READ | PROT_WRITE, flags, fd, 0) : MAP_FAILED;

	if (p == MAP_FAILED) {
		free(r);
		return NULL;
	}
	r->head = p;
	r->places = (_Atomic uint64_t *)(void *)((char *)p + PAGE);
	r->fd = fd;
	return r;
}

static int replay_memory(void)
{
	int fd = memfd_create("penstock-early", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)replay_size()) == 0)
		return fd;
	close(fd);
	return -1;
}

struct replay *replay_new(bool shared, bool outlived, int64_t now, struct err *err)
{
	int fd = shared ? replay_memory() : -1;
	struct replay *r = fd >= 0 || !shared ? replay_map(fd) : NULL;

	if (!r) {
		err_set(err, "no memory for what is known of early data: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*r->head = (struct head){ .magic = MAGIC, .version = VERSION, .sets = SETS,
				  .since = outlived ? now : 0 };
	return r;
}

struct replay *replay_attach(int fd)
{
	struct head head;
	struct stat st;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.magic != MAGIC ||
	    head.version != VERSION || head.sets != SETS || fstat(fd, &st) < 0 ||
	    (size_t)st.st_size != replay_size())
		return NULL;
	return replay_map(fd);
}

int replay_fd(const struct replay *r)
{
	return r->fd;
}

void replay_free(struct replay **replay)
{
	struct replay *r = *replay;

	*replay = NULL;
	if (!r)
		return;
	munmap(r->head, replay_size());
	free(r);
}

/* Where the clock was set back, hellos that were too old look fresh again. */
static bool clock_is_sound(struct replay *r, int64_t now)
{
	int64_t latest = atomic_load(&r->head->latest);

	while (now > latest)
		if (atomic_compare_exchange_weak(&r->head->latest, &latest, now))
			return true;
	return now + 1 >= latest; /* of two workers one may have looked a moment earlier */
}

static bool is_fresh(uint64_t place, int64_t now)
{
	uint16_t age = (uint16_t)((uint16_t)now - (uint16_t)place);

	/* A neighbour may have looked at the clock later: we may have been stopped since we did. */
	return place && (age <= REPLAY_WINDOW || age >= UINT16_MAX - REPLAY_WINDOW);
}

/* How often the tag is there; *room: the first place that nobody needs any more, and what it held. */
static unsigned look(_Atomic uint64_t *set, uint64_t tag, int64_t now, _Atomic uint64_t **room,
		     uint64_t *held)
{
	unsigned i, found = 0;
	uint64_t place;

	*room = NULL;
	for (i = 0; i < WAYS; i++) {
		place = atomic_load(&set[i]);
		if (!is_fresh(place, now)) {
			if (!*room) {
				*room = &set[i];
				*held = place;
			}
			continue;
		}
		found += (place & TAG_MASK) == tag;
	}
	return found;
}

bool replay_first(struct replay *r, const unsigned char hash[REPLAY_HASH], int64_t session,
		  int64_t now)
{
	_Atomic uint64_t *set, *room;
	uint64_t tag, place;
	uint32_t at;

	memcpy(&tag, hash, sizeof(tag));
	memcpy(&at, hash + sizeof(tag), sizeof(at));
	tag &= TAG_MASK;
	if (!tag)
		tag = UINT64_C(1) << 16;
	set = r->places + (size_t)(at % SETS) * WAYS;
	if (!clock_is_sound(r, now) ||
	    (session <= r->head->since && now <= r->head->since + REPLAY_WINDOW))
		return false;
	do {
		if (look(set, tag, now, &room, &place) || !room)
			return false;
	} while (!atomic_compare_exchange_strong(room, &place, tag | (uint16_t)now));
	return look(set, tag, now, &room, &place) == 1;
}
