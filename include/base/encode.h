/* SPDX-License-Identifier: BSD-2-Clause */
/* Values as JSON (RFC 8259) and CBOR (RFC 8949), whatever bytes they have; and objects of such
 * values that are cut and stay whole. Pure text: nothing is known of what the values are. */
#ifndef BASE_ENCODE_H
#define BASE_ENCODE_H

#include "base/str.h"

enum encoding {
	ENCODE_NONE,
	ENCODE_JSON,
	ENCODE_CBOR,     /* bytes */
	ENCODE_CBOR_HEX, /* the same as hexadecimal digits */
};

/* The length of the well-formed UTF-8 character (RFC 3629) at s, of which `left` bytes, at least 1,
 * may be read; 0: there is none. */
size_t utf8_len(const char *s, size_t left);

/* What t has since `from` becomes what stands between the quotes of a string of JSON: ASCII without
 * DEL, and UTF-8 without its control characters. Bytes that are no UTF-8 are taken for Latin-1. */
void json_escape(struct text *t, size_t from);

/* What t has since `from` becomes a text string of CBOR, made UTF-8 in the same way, or one of
 * bytes. */
void cbor_text(struct text *t, size_t from);
void cbor_bytes(struct text *t, size_t from);
void cbor_int(struct text *t, int64_t n);
enum { CBOR_FALSE = 0xf4, CBOR_TRUE = 0xf5, CBOR_NULL = 0xf6, CBOR_MAP = 0xbf, CBOR_END = 0xff };
/* What t has since `from` becomes hexadecimal. */
void encode_hex(struct text *t, size_t from);

/* Where an object that was encoded so is cut to at most `room` bytes: how many of its first bytes
 * stay, and in *closing what comes behind them. The object may lack its end already. Its values are
 * no objects. Members that do not fit are left out as a whole; of JSON the last string is shortened
 * between two characters. *closing is empty, and nothing stays, where not even an empty object
 * fits. */
size_t encoded_cut(enum encoding encoding, struct span object, size_t room, struct span *closing);

#endif
