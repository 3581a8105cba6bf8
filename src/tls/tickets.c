/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of tickets: sets of three, of a file or our own, and the callback by which OpenSSL seals and
 * opens tickets with them. Called by the bind lines, commands, and the module of sessions.c.
 *
 * The parent's copy is what counts; it writes it down in a note (share/region.h), from which the
 * next image takes keys of our own, and those of a file that is still the same: keys set by
 * commands outlive reloads. Keys lie in pages of their own that are in no dump, and are wiped
 * when they go.
 */
#include "tls/tickets.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/kind.h"
#include "base/result.h"
#include "event/change.h"
#include "event/timer.h"
#include "share/region.h"
#include "share/segment.h"
#include "tls/base64.h"
#include "tls/random.h"

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NAME = 16, IV = 16, SHORT = 48, LONG = 80, LINE = 512, PATH_SIZE = 1024 };
enum { ROTATE_MS = 3600 * 1000 };
enum { OLDEST, IN_USE, NEXT }; /* of the keys of a set */

/* As it is written down, too. */
struct tls_ticket_keys {
	char name[PATH_SIZE]; /* of the file; "": our own */
	uint32_t id, size;    /* bytes of a key; 0: none yet */
	int64_t changed;      /* seconds of the wall clock: the last key was added */
	int64_t period;       /* of our own: seconds between two keys; 0: of a file */
	unsigned char read[TLS_TICKET_KEYS][LONG]; /* as they were in the file */
	unsigned char keys[TLS_TICKET_KEYS][LONG];
	struct tls_ticket_keys *next;
	KIND_MEMBER
};

/* Of them without the pointer behind. */
enum { SAVED = offsetof(struct tls_ticket_keys, next), NOTE_VERSION = 2 };

static struct tls_ticket_keys *sets, *own;
static struct region note = REGION_NONE; /* in the parent alone */
static int place = -1; /* of the set in an SSL_CTX */
static struct timer rotation;

/* ---- sets -------------------------------------------------------------------------------- */

static struct tls_ticket_keys *set_alloc(void)
{
	void *set = mmap(NULL, sizeof(struct tls_ticket_keys), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (set == MAP_FAILED)
		return NULL;
	madvise(set, sizeof(struct tls_ticket_keys), MADV_DONTDUMP);
	return set;
}

static void set_free(struct tls_ticket_keys *set)
{
	OPENSSL_cleanse(set, sizeof(*set));
	munmap(set, sizeof(*set));
}

static struct tls_ticket_keys *set_new(const char *name)
{
	struct tls_ticket_keys *set = set_alloc(), **at;
	uint32_t id = 0;

	if (!set)
		return NULL;
	KIND_IS(struct tls_ticket_keys, set);
	snprintf(set->name, sizeof(set->name), "%s", name);
	for (at = &sets; *at; at = &(*at)->next)
		id++;
	set->id = id;
	*at = set;
	return set;
}

static struct tls_ticket_keys *set_by_name(const char *name)
{
	struct tls_ticket_keys *set;

	for (set = sets; set && strcmp(set->name, name); set = set->next)
		;
	return set;
}

struct tls_ticket_keys *tls_tickets_next(const struct tls_ticket_keys *keys)
{
	return keys ? keys->next : sets;
}

struct tls_ticket_keys *tls_tickets_find(const char *reference)
{
	struct tls_ticket_keys *set;
	int64_t id;

	if (*reference != '#')
		return *reference ? set_by_name(reference) : NULL;
	if (!str_to_int(reference + 1, 0, UINT32_MAX, &id))
		return NULL;
	for (set = sets; set && set->id != (uint32_t)id; set = set->next)
		;
	return set;
}

unsigned tls_tickets_id(const struct tls_ticket_keys *keys)
{
	return keys->id;
}

const char *tls_tickets_name(const struct tls_ticket_keys *keys)
{
	return keys->name;
}

size_t tls_tickets_key(const struct tls_ticket_keys *keys, unsigned i, const unsigned char **bytes)
{
	*bytes = keys->keys[i];
	return keys->size;
}

/* ---- the parent's note ------------------------------------------------------------------- */

static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_MEMBER(struct tls_ticket_keys, name),
		REGION_MEMBER(struct tls_ticket_keys, id),
		REGION_MEMBER(struct tls_ticket_keys, size),
		REGION_MEMBER(struct tls_ticket_keys, changed),
		REGION_MEMBER(struct tls_ticket_keys, period),
		REGION_MEMBER(struct tls_ticket_keys, read),
		REGION_MEMBER(struct tls_ticket_keys, keys), { "record", SAVED, 0 },
	};
	static struct region_spec spec = { .name = "tickets", .what = "ticket keys",
					   .note = true };

	if (!spec.layout)
		spec.layout = region_layout(NOTE_VERSION, members, ARRAY_LEN(members));
	return &spec;
}

static void note_find(void)
{
	if (!region_is(&note))
		region_attach_kept(&note, spec());
}

/* Whole sets from there on; done says where they end. */
static bool write_sets(const struct tls_ticket_keys *set, size_t *at)
{
	for (; set; set = set->next, *at += SAVED)
		if (!region_write(&note, *at, set, SAVED))
			return false;
	return true;
}

/* The latest state of all sets, in their order; in the parent alone. What is left when it fails is
 * of sets that nobody has. */
static void sets_save(void)
{
	size_t at = 0;

	if (write_sets(sets, &at))
		region_cut(&note, at);
}

/* The next set of the note; false: no more. */
static bool saved_next(size_t *at, struct tls_ticket_keys *saved)
{
	if (!region_read(&note, *at, saved, SAVED))
		return false;
	*at += SAVED;
	saved->next = NULL;
	saved->name[sizeof(saved->name) - 1] = 0;
	return true;
}

/* The same before it is known whether this configuration can be served: sets that it does not have
 * stay in the note, for the image after it. */
static void sets_merge(void)
{
	struct tls_ticket_keys saved, *others = NULL, *set;
	size_t at = 0;

	while (saved_next(&at, &saved)) {
		if (set_by_name(saved.name) || !(set = set_alloc()))
			continue;
		*set = saved;
		set->next = others;
		others = set;
	}
	OPENSSL_cleanse(&saved, sizeof(saved));
	sets_save();
	at = region_length(&note);
	DROPPED(write_sets(others, &at), "sessions of sets that find no room are made anew");
	while ((set = others)) {
		others = set->next;
		set_free(set);
	}
}

static bool same_file(const struct tls_ticket_keys *a, const struct tls_ticket_keys *b)
{
	return a->size == b->size && !memcmp(a->read, b->read, sizeof(a->read));
}

static void set_restore(struct tls_ticket_keys *set, const struct tls_ticket_keys *saved)
{
	if (set != own && !same_file(set, saved))
		return;
	memcpy(set->keys, saved->keys, sizeof(set->keys));
	set->changed = saved->changed;
	set->size = saved->size;
}

static void sets_restore(void)
{
	struct tls_ticket_keys saved, *set;
	size_t at = 0;

	while (saved_next(&at, &saved)) {
		set = saved.size == SHORT || saved.size == LONG ? set_by_name(saved.name) : NULL;
		if (set)
			set_restore(set, &saved);
	}
	OPENSSL_cleanse(&saved, sizeof(saved));
}

/* ---- keys -------------------------------------------------------------------------------- */

static void push(struct tls_ticket_keys *set, const void *bytes)
{
	memmove(set->keys[0], set->keys[1], sizeof(set->keys) - sizeof(set->keys[0]));
	memcpy(set->keys[NEXT], bytes, set->size);
	set->changed = clock_wall().tv_sec;
}

bool tls_tickets_push(struct tls_ticket_keys *set, const unsigned char *bytes, size_t len)
{
	if (len != set->size)
		return false;
	push(set, bytes);
	sets_save();
	return true;
}

/* One line; size 0: the first. How many bytes the key has; -1 and err. */
static long read_key(char *line, unsigned char *key, struct err *err)
{
	long n = base64_decode(span_of(line), key, LONG);

	OPENSSL_cleanse(line, strlen(line));
	if (n != SHORT && n != LONG)
		return err_set(err, "a key is not 48 or 80 bytes in base64");
	return n;
}

static int read_keys(struct tls_ticket_keys *set, FILE *in, unsigned char key[LONG],
		     struct err *err)
{
	unsigned number = 0, count = 0;
	char line[LINE];
	long n;

	while (fgets(line, sizeof(line), in)) {
		number++;
		if (!line[strspn(line, " \t\r\n")])
			continue;
		n = read_key(line, key, err);
		if (n < 0)
			return err_prefix(err, "line %u", number);
		if (set->size && (uint32_t)n != set->size)
			return err_set(err, "line %u: keys of 48 and of 80 bytes cannot be mixed",
				       number);
		set->size = (uint32_t)n;
		push(set, key);
		count++;
	}
	if (count < TLS_TICKET_KEYS)
		return err_set(err, "it has %u keys: at least %d are needed", count,
			       TLS_TICKET_KEYS);
	memcpy(set->read, set->keys, sizeof(set->read));
	return 0;
}

static void set_forget(struct tls_ticket_keys *set)
{
	struct tls_ticket_keys **at;

	for (at = &sets; *at != set; at = &(*at)->next)
		;
	*at = set->next;
	set_free(set);
}

/* What it was read through holds no key afterwards. */
static int read_wiped(struct tls_ticket_keys *set, FILE *in, struct err *err)
{
	unsigned char key[LONG] = { 0 };
	char buffer[4096];
	int rc;

	setvbuf(in, buffer, _IOFBF, sizeof(buffer));
	rc = read_keys(set, in, key, err);
	fclose(in);
	OPENSSL_cleanse(buffer, sizeof(buffer));
	OPENSSL_cleanse(key, sizeof(key));
	return rc;
}

struct tls_ticket_keys *tls_tickets_file(const char *path, struct err *err)
{
	struct tls_ticket_keys *set = set_by_name(path);
	FILE *in;
	int rc;

	if (set)
		return set;
	if (strlen(path) >= PATH_SIZE) {
		err_set(err, "the name of the file is too long");
		return NULL;
	}
	in = fopen(path, "re");
	set = in ? set_new(path) : NULL;
	if (!set) {
		err_set(err, "cannot read '%s': %s", path, strerror(errno));
		if (in)
			fclose(in);
		return NULL;
	}
	rc = read_wiped(set, in, err);
	if (rc == 0)
		return set;
	err_prefix(err, "'%s'", path);
	set_forget(set);
	return NULL;
}

/* ---- sealing and opening ----------------------------------------------------------------- */

/* The library would look it up by name for each ticket. */
static const EVP_CIPHER *cipher_of(const struct tls_ticket_keys *set)
{
	static EVP_CIPHER *ciphers[2];
	EVP_CIPHER **cipher = &ciphers[set->size == LONG];

	if (!*cipher)
		*cipher = EVP_CIPHER_fetch(NULL, set->size == LONG ? "AES-256-CBC" : "AES-128-CBC", NULL);
	return *cipher;
}

/* Files for both ends of a cluster have name, AES key, HMAC key in this order. */
static int use_key(const struct tls_ticket_keys *set, unsigned i, const unsigned char *iv,
		   EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int seal)
{
	size_t half = (set->size - NAME) / 2;
	unsigned char *key = (unsigned char *)(uintptr_t)set->keys[i];
	char digest[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key + NAME + half, half),
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};

	if (!cipher_of(set))
		return 0;
	return EVP_CipherInit_ex(cipher, cipher_of(set), NULL, key + NAME, iv, seal) == 1 &&
	       EVP_MAC_CTX_set_params(mac, params) == 1;
}

/* OpenSSL's contract: -1: error; 0: no key of that name (a full handshake), or no ticket; 1: done;
 * 2: done, and the client is to have a fresh one. */
static int on_ticket(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
		     EVP_MAC_CTX *mac, int seal)
{
	const struct tls_ticket_keys *set =
		KIND_OR_NULL(const struct tls_ticket_keys,
			     SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), place));
	unsigned i;

	if (!set || !set->size)
		return 0;
	if (seal) {
		if (!tls_random(iv, IV))
			return -1;
		memcpy(name, set->keys[IN_USE], NAME);
		return use_key(set, IN_USE, iv, cipher, mac, 1) ? 1 : -1;
	}
	for (i = 0; i < TLS_TICKET_KEYS; i++) {
		if (memcmp(name, set->keys[i], NAME))
			continue;
		if (!use_key(set, i, iv, cipher, mac, 0))
			return -1;
		/* RFC 8446 C.4: clients of TLS 1.3 use each once, so that nobody recognises
		 * them. */
		return i == OLDEST || SSL_version(ssl) >= TLS1_3_VERSION ? 2 : 1;
	}
	return 0;
}

int tls_tickets_attach(SSL_CTX *ctx, struct tls_ticket_keys *keys)
{
	if (place < 0)
		place = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
	if (!keys && !own)
		own = set_new("");
	if (!keys)
		keys = own;
	if (place < 0 || !keys || !SSL_CTX_set_ex_data(ctx, place, keys))
		return -1;
	return SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, on_ticket) == 1 ? 0 : -1;
}

/* ---- keys of our own --------------------------------------------------------------------- */

/* The name of the set, its NUL, and the key. */
static int apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *name = bytes;
	size_t end = strnlen(name, len) + 1;
	struct tls_ticket_keys *set;

	(void)said;
	set = end < len ? set_by_name(name) : NULL;
	if (!set)
		return err_set(err, "there are no ticket keys of that name");
	if (!tls_tickets_push(set, (const unsigned char *)bytes + end, len - end))
		return err_set(err, "the ticket key has another size");
	return 0;
}

const struct change_kind tls_tickets_change = { .name = "ticket key", .apply = apply };

static int64_t period; /* of the timer: seconds */

static void rotate_at(int64_t second)
{
	int64_t wait = second - clock_wall().tv_sec;

	if (wait > period)
		wait = period; /* the clock was set */
	timer_set(&rotation, clock_now_ms + (uint64_t)(wait < 1 ? 1 : wait) * 1000);
}

static void rotate(struct timer *timer)
{
	unsigned char fresh[1 + LONG] = { 0 };

	(void)timer;
	if (RAND_bytes(fresh + 1, LONG) == 1)
		change_submit(&tls_tickets_change, fresh, sizeof(fresh), NULL, NULL);
	OPENSSL_cleanse(fresh, sizeof(fresh));
	rotate_at(clock_wall().tv_sec + period);
}

static void lead(const struct tls_ticket_keys *set)
{
	tls_tickets_follow();
	timer_init(&rotation, rotate);
	period = set->period;
	rotate_at(set->changed + period);
}

void tls_tickets_lead(void)
{
	if (own)
		lead(own);
}

void tls_tickets_wait(void)
{
	struct tls_ticket_keys saved;
	size_t at = 0;

	tls_tickets_follow();
	note_find();
	while (saved_next(&at, &saved))
		if (!saved.name[0] && saved.period > 0)
			lead(&saved);
	OPENSSL_cleanse(&saved, sizeof(saved));
}

void tls_tickets_follow(void)
{
	if (rotation.fire)
		timer_cancel(&rotation);
}

/* Where there is a parent, what the next image wants to know has its place. */
static int note_open(struct err *err)
{
	if (!sets || !segment || segment_fd(segment) < 0 || region_is(&note))
		return 0;
	if (region_new(&note, spec(), 0, true, err) < 0)
		return -1;
	region_keep(&note);
	return 0;
}

int tls_tickets_prepare(unsigned lifetime_ms, struct err *err)
{
	note_find();
	sets_restore();
	if (own)
		own->period = (lifetime_ms > ROTATE_MS ? lifetime_ms : ROTATE_MS) / 1000;
	if (own && !own->size) {
		own->size = LONG;
		own->changed = clock_wall().tv_sec;
		if (RAND_bytes(own->keys[0], sizeof(own->keys)) != 1)
			return err_set(err, "no random bytes for ticket keys");
	}
	if (note_open(err) < 0)
		return -1;
	sets_merge();
	return 0;
}
