/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parent writes down of OCSP, in a memfd that the next image inherits (base/kept.h): records behind
 * one another, the last of a certificate counts; written anew when most of them do not count any more. What
 * is read back is judged as if it had come now: the certificate may be another one, and time has passed.
 */
#include "tls/ocsp_kept.h"

#include "base/err.h"
#include "base/kept.h"
#include "base/segment.h"
#include "tls/bind.h"
#include "tls/ocsp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLACK = 256 << 10 }; /* bytes of records that do not count, at least, before it is written anew */

struct record {
	uint32_t status, id_len, len; /* len: bytes of the response behind it; 0: none that is to be kept */
	uint32_t successes, failures;
	int64_t last, next;
	unsigned char id[OCSP_ID_MOST];
};

static off_t written, most = SLACK;

/* ---- writing ------------------------------------------------------------------------------ */

static bool is_worth(const struct tls_ocsp *ocsp)
{
	return ocsp->late || ocsp->status != TLS_OCSP_UNKNOWN;
}

/* One that is cut is none: its length says so. */
static int append(int fd, const struct tls_ocsp *ocsp)
{
	struct record r = { .status = ocsp->status, .id_len = (uint32_t)ocsp->id_len,
			    .len = ocsp->late ? (uint32_t)ocsp->len : 0, .successes = ocsp->successes,
			    .failures = ocsp->failures, .last = ocsp->last, .next = ocsp->next };

	memcpy(r.id, ocsp->id, ocsp->id_len);
	if (pwrite(fd, &r, sizeof(r), written) != sizeof(r) ||
	    (r.len && pwrite(fd, ocsp->response, r.len, written + (off_t)sizeof(r)) != (ssize_t)r.len))
		return -1;
	written += (off_t)(sizeof(r) + r.len);
	return 0;
}

static void write_all(int fd)
{
	const struct tls_ocsp *ocsp;

	written = 0;
	if (ftruncate(fd, 0) < 0)
		return;
	list_for_each(ocsp, &tls_ocsp_all, node)
		if (is_worth(ocsp) && append(fd, ocsp) < 0)
			break; /* no memory: those are fetched again, or missing, after a reload */
	most = 2 * written + SLACK;
}

static off_t worth(void)
{
	const struct tls_ocsp *ocsp;
	off_t size = 0;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if (is_worth(ocsp))
			size += (off_t)(sizeof(struct record) + (ocsp->late ? ocsp->len : 0));
	return size;
}

void tls_ocsp_keep(struct tls_ocsp *ocsp)
{
	int fd = kept_get("ocsp");

	if (fd < 0 || !is_worth(ocsp))
		return;
	if (written > most)
		write_all(fd);
	else if (append(fd, ocsp) < 0)
		(void)!ftruncate(fd, written);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A file that was changed may hold a response that is good for longer. */
static bool take_response(struct tls_ocsp *ocsp, struct span der)
{
	int64_t until;
	struct err err;

	if (tls_ocsp_judge(ocsp, der, &until, &err) < 0 || (!ocsp->late && until <= ocsp->until) ||
	    tls_ocsp_put(ocsp, der, until, &err) < 0)
		return false;
	ocsp->late = true;
	return true;
}

/* What is due at its time had better be there: it is fetched at once, else. */
static void take(struct tls_ocsp *ocsp, const struct record *r, struct span der)
{
	bool taken = der.len && take_response(ocsp, der);

	if (!ocsp->update)
		return;
	ocsp->status = r->status;
	ocsp->last = r->last;
	ocsp->successes = r->successes;
	ocsp->failures = r->failures;
	ocsp->next = taken && r->status == TLS_OCSP_OK ? r->next : 0;
}

static unsigned take_known(const struct record *r, struct span der)
{
	struct tls_ocsp *ocsp;
	unsigned n = 0;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if (ocsp->id_len == r->id_len && !memcmp(ocsp->id, r->id, r->id_len)) {
			take(ocsp, r, der);
			n++;
		}
	return n;
}

/* How many bytes of it are whole records. */
static size_t take_all(const char *all, size_t size)
{
	const char *at = all;
	size_t len = size;
	bool met = false;
	struct record r;
	struct span der;

	while (len >= sizeof(r)) {
		memcpy(&r, at, sizeof(r));
		if (r.id_len > sizeof(r.id) || r.len > len - sizeof(r))
			break;
		der = (struct span){ at + sizeof(r), r.len };
		if (!take_known(&r, der) && r.len && !met) {
			tls_ocsp_meet_all();
			met = true;
			take_known(&r, der);
		}
		at += sizeof(r) + r.len;
		len -= sizeof(r) + r.len;
	}
	return size - len;
}

static void read_all(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	void *all = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;

	if (all == MAP_FAILED)
		return;
	written = (off_t)take_all(all, (size_t)size);
	munmap(all, (size_t)size);
}

/* ---- the start ---------------------------------------------------------------------------- */

static int note_open(struct err *err)
{
	int fd;

	if (list_empty(&tls_binds) || !segment || segment_fd(segment) < 0)
		return -1; /* nobody who would hand it over */
	fd = memfd_create("penstock-ocsp", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, "no memory for OCSP responses: %s", strerror(errno));
	kept_set("ocsp", fd);
	return fd;
}

int tls_ocsp_restore(struct err *err)
{
	int fd = kept_get("ocsp");

	err->text[0] = 0;
	if (fd < 0)
		fd = note_open(err);
	if (fd < 0)
		return err->text[0] ? -1 : 0;
	/* What nobody wants now stays until much has come: this image may fail yet, and the next one want it. */
	read_all(fd);
	most = 2 * worth() + SLACK;
	return 0;
}
