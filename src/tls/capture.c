/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures the ClientHello of a connection as it came, for fingerprints: OpenSSL itself shows only
 * the extensions that it knows. Called by OpenSSL for the first message of an SSL that
 * tls_note_hello was asked for; calls nobody. Never keeps more than it was told to. */
#include "tls/notes.h"

#include "base/bug.h"
#include "tls/notes_own.h"
#include "tls/tune.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { HELLO_RANDOM = 32, EXT_GROUPS = 10, EXT_FORMATS = 11, HANDSHAKE_HEADER = 4 };

/* -- reading: every function says false when the bytes are no ClientHello
 * ----------------------- */

static bool take_bytes(struct span *from, size_t len, struct span *out)
{
	if (len > from->len)
		return false;
	*out = (struct span){ from->ptr, len };
	from->ptr += len;
	from->len -= len;
	return true;
}

static bool take_number(struct span *from, size_t len, unsigned *number)
{
	struct span bytes;
	size_t i;

	if (!take_bytes(from, len, &bytes))
		return false;
	*number = 0;
	for (i = 0; i < len; i++)
		*number = *number << 8 | (uint8_t)bytes.ptr[i];
	return true;
}

/* A list behind its length of width bytes. */
static bool take_list(struct span *from, size_t width, struct span *list)
{
	unsigned len;

	return take_number(from, width, &len) && take_bytes(from, len, list);
}

/* What is inside an extension, or nothing when it is not well formed. */
static struct span inner_list(struct span ext, size_t width)
{
	struct span list;

	return take_list(&ext, width, &list) ? list : (struct span){ "", 0 };
}

/* -- keeping ---------------------------------------------------------------------------------- */

struct room {
	char *at;
	size_t left;
};

static struct span keep(struct room *room, struct span what)
{
	size_t len = what.len < room->left ? what.len : room->left;
	struct span kept = { room->at, len };

	if (len)
		memcpy(room->at, what.ptr, len);
	room->at += len;
	room->left -= len;
	return kept;
}

/* The types go one by one, as far as there is room; the lists are looked for on the way. */
static void keep_extensions(struct room *room, struct span exts, struct tls_capture *c)
{
	struct span groups = { "", 0 }, formats = { "", 0 }, type, data, walk = exts;

	c->extensions = (struct span){ room->at, 0 };
	while (take_bytes(&walk, 2, &type) && take_list(&walk, 2, &data)) {
		unsigned number = (unsigned)((uint8_t)type.ptr[0] << 8 | (uint8_t)type.ptr[1]);

		c->extensions.len += keep(room, type).len;
		if (number == EXT_GROUPS)
			groups = inner_list(data, 2);
		else if (number == EXT_FORMATS)
			formats = inner_list(data, 1);
	}
	c->groups = keep(room, groups);
	c->formats = keep(room, formats);
}

struct tls_capture *tls_capture_parse(struct span hello, unsigned size)
{
	struct span random, session, ciphers, compression, exts = { "", 0 };
	size_t most = size < hello.len ? size : hello.len;
	struct tls_capture *c;
	struct room room;
	unsigned version;

	if (!take_number(&hello, 2, &version) || !take_bytes(&hello, HELLO_RANDOM, &random) ||
	    !take_list(&hello, 1, &session) || !take_list(&hello, 2, &ciphers) ||
	    !take_list(&hello, 1, &compression))
		return NULL;
	if (hello.len && !take_list(&hello, 2, &exts))
		return NULL;
	c = malloc(sizeof(*c) + most);
	if (!c)
		return NULL;
	room = (struct room){ (char *)(c + 1), most };
	c->version = (uint16_t)version;
	c->hash = XXH64(ciphers.ptr, ciphers.len, 0);
	c->ciphers = keep(&room, ciphers);
	keep_extensions(&room, exts, c);
	return c;
}

/* -- the callback ------------------------------------------------------------------------------ */

static void capture_message(int sent, int version, int type, const void *bytes, size_t len,
			    SSL *ssl, void *arg)
{
	struct span hello = { bytes, len };
	struct tls_notes *notes;
	struct span header;

	(void)version;
	(void)arg;
	if (sent || type != SSL3_RT_HANDSHAKE)
		return;
	SSL_set_msg_callback(ssl, NULL);
	if (!take_bytes(&hello, HANDSHAKE_HEADER, &header) || *header.ptr != SSL3_MT_CLIENT_HELLO)
		return;
	notes = tls_notes_make(ssl);
	if (notes && !notes->capture)
		notes->capture = tls_capture_parse(hello, tls_tune.capture_size);
}

void tls_note_hello(SSL *ssl)
{
	if (tls_tune.capture_size)
		SSL_set_msg_callback(ssl, capture_message);
}

const struct tls_capture *tls_notes_capture(const SSL *ssl)
{
	const struct tls_notes *notes = tls_notes(ssl);

	return notes ? notes->capture : NULL;
}
