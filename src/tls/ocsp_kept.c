/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parent writes down of OCSP, in a note that the next image inherits (share/region.h):
 * records behind one another, the last of a certificate counts; written anew when most of them do
 * not count any more. What is read back is judged as if it had come now: the certificate may be
 * another one, and time has passed.
 */
#include "tls/ocsp_kept.h"

#include "base/err.h"
#include "share/region.h"
#include "share/segment.h"
#include "tls/binds.h"
#include "tls/ocsp.h"

#include <stdlib.h>
#include <string.h>

enum { NOTE_VERSION = 2,
       SLACK = 256 << 10 }; /* bytes of records that do not count, at least, before it is written
			     * anew */

struct record {
	uint32_t status, id_len, len; /* len: bytes of the response behind it; 0: none that is to be
				       * kept */
	uint32_t successes, failures;
	int64_t last, next;
	unsigned char id[OCSP_ID_MOST];
};

static struct region note = REGION_NONE; /* in the parent alone */
static size_t written, most = SLACK;

static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_SIZE(struct record), REGION_MEMBER(struct record, status),
		REGION_MEMBER(struct record, id_len), REGION_MEMBER(struct record, len),
		REGION_MEMBER(struct record, successes), REGION_MEMBER(struct record, failures),
		REGION_MEMBER(struct record, last), REGION_MEMBER(struct record, next),
		REGION_MEMBER(struct record, id),
	};
	static struct region_spec spec = { .name = "ocsp", .what = "OCSP responses",
					   .note = true };

	if (!spec.layout)
		spec.layout = region_layout(NOTE_VERSION, members, ARRAY_LEN(members));
	return &spec;
}

/* ---- writing ------------------------------------------------------------------------------ */

static bool is_worth(const struct tls_ocsp *ocsp)
{
	return ocsp->late || ocsp->status != TLS_OCSP_UNKNOWN;
}

/* One that is cut is none: its length says so. */
static int append(const struct tls_ocsp *ocsp)
{
	struct record r = { .status = ocsp->status, .id_len = (uint32_t)ocsp->id_len,
			    .len = ocsp->late ? (uint32_t)ocsp->len : 0, .successes = ocsp->successes,
			    .failures = ocsp->failures, .last = ocsp->last, .next = ocsp->next };

	memcpy(r.id, ocsp->id, ocsp->id_len);
	if (!region_write(&note, written, &r, sizeof(r)) ||
	    !region_write(&note, written + sizeof(r), ocsp->response, r.len))
		return -1;
	written += sizeof(r) + r.len;
	return 0;
}

static void write_all(void)
{
	const struct tls_ocsp *ocsp;

	written = 0;
	if (!region_cut(&note, 0))
		return;
	list_for_each(ocsp, &tls_ocsp_all, node)
		if (is_worth(ocsp) && append(ocsp) < 0)
			break; /* no memory: those are fetched again, or missing, after a reload */
	most = 2 * written + SLACK;
}

static size_t worth(void)
{
	const struct tls_ocsp *ocsp;
	size_t size = 0;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if (is_worth(ocsp))
			size += sizeof(struct record) + (ocsp->late ? ocsp->len : 0);
	return size;
}

void tls_ocsp_keep(struct tls_ocsp *ocsp)
{
	if (!region_is(&note) || note.fd < 0 || !is_worth(ocsp))
		return;
	if (written > most)
		write_all();
	else if (append(ocsp) < 0)
		region_cut(&note, written);
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

/* What is behind the last whole record, and all where there is no memory to read it, is given up:
 * what comes is written there. */
static void read_all(void)
{
	size_t size = region_length(&note);
	char *all = size ? malloc(size) : NULL;

	written = all && region_read(&note, 0, all, size) ? take_all(all, size) : 0;
	if (written < size)
		region_cut(&note, written);
	free(all);
}

/* ---- the start ---------------------------------------------------------------------------- */

/* False, and no sentence: there is nobody who would hand it over. */
static bool note_open(struct err *err)
{
	if (region_attach_kept(&note, spec()))
		return true;
	if (list_empty(&tls_binds) || !segment || segment_fd(segment) < 0 ||
	    region_new(&note, spec(), 0, true, err) < 0)
		return false;
	region_keep(&note);
	return true;
}

int tls_ocsp_restore(struct err *err)
{
	err->text[0] = 0;
	if (!note_open(err))
		return err->text[0] ? -1 : 0;
	/* What nobody wants now stays until much has come: this image may fail yet, and the next
	 * one want it. */
	read_all();
	most = 2 * worth() + SLACK;
	return 0;
}
