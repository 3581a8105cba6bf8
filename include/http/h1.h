/* SPDX-License-Identifier: BSD-2-Clause */
/* The HTTP/1 codec: pure functions over bytes (RFC 9112). No socket, no allocation; incremental
 * at every byte boundary. Strict: what two parsers could read in two ways is refused. */
#ifndef HTTP_H1_H
#define HTTP_H1_H

#include "http/message.h"

enum h1_result {
	H1_DONE,       /* complete */
	H1_INCOMPLETE, /* good so far: call again with more (and the same) bytes */
	H1_BAD,        /* message_error says what and where */
	H1_FULL,       /* good so far, but the head has more fields than msg->max, which is less
			* than msg->most: give msg room for more, and call again */
};

enum {
	/* Options accept-invalid-http-request, -response: what they let pass
	 * (doc/internals/http_codec.md) has MSG_INVALID, and means one thing: lines that end with
	 * LF, folded lines, lengths beside Transfer-Encoding and names with blanks are gone from
	 * the message. Line ends within folded lines of responses are overwritten by blanks where
	 * they lie. */
	H1_ACCEPT_INVALID = 1 << 0,
	H1_ANY_PAYLOAD = 1 << 1, /* global h1-accept-payload-with-any-method */
	H1_MAYBE_HOST = 1 << 2,  /* the caller judges whether Host may be missing: MSG_HOSTLESS */
};

/* A head under way: how far its bytes were looked at, so that nothing is scanned twice when a
 * head comes one byte at a time. Zeroed at the start of each message, together with
 * message_init; between the calls for one message both stay untouched. */
struct h1_parser {
	const char *base;  /* where the bytes lay last time: they may be moved between calls */
	uint32_t from;     /* where the element under way begins (target, line) */
	uint32_t looked;   /* bytes that were found good */
	uint32_t colon;    /* within a field line: where its colon is */
	uint32_t invalid;  /* MSG_INVALID: position of the first byte that an option let through */
	uint16_t skipped;  /* empty lines in front of the start line */
	uint8_t state;
	uint8_t seen;      /* enum seen of h1_check.c */
	bool folded;       /* the field under way has more than one line */
	bool odd;          /* something is not written as h1_write_head would write it */
};

/* Parses a head in bytes[0..len), msg was emptied by message_init before the first call. H1_DONE:
 * msg->head_len bytes belong to it (empty lines in front included). request_method: of the request
 * that a response answers (HEAD, CONNECT change the framing); METHOD_OTHER for requests. Fills
 * in framing, length and flags; checks all that RFC 9112 and RFC 9110 ask of a recipient that
 * forwards: Host, Content-Length, Transfer-Encoding, Connection. Fields that Connection names are
 * deleted; Connection itself and the like are left in place: message_strip_hops. */
enum h1_result h1_request_head(struct h1_parser *p, const char *bytes, size_t len, unsigned options,
			       struct message *msg, struct message_error *error);
enum h1_result h1_response_head(struct h1_parser *p, const char *bytes, size_t len,
				unsigned options, enum method request_method, struct message *msg,
				struct message_error *error);

/* The same for a head without a start line (a CGI program answers so, RFC 3875 6.2): fields up to
 * the empty line. What a start line would say stands in msg before the first call: version, for a
 * response its status. Each field is checked as it is there; what the head as a whole means is the
 * caller's to say: a Transfer-Encoding, where there is one, counts before msg->length. H1_DONE sets
 * msg->head_len, a Content-Length msg->length, and no framing. */
enum h1_result h1_fields_head(struct h1_parser *p, const char *bytes, size_t len, unsigned options,
			      struct message *msg, struct message_error *error);

/* The bytes of a head filled the memory there is and it is H1_INCOMPLETE: what to answer with. */
void h1_too_long(const struct h1_parser *p, const struct message *msg, struct message_error *error);

/* RFC 9110 7.6.1. Deletes the fields that Connection names; the parsers have done it already. */
void message_strip_named(struct message *msg);
/* Before the head goes to the next hop: deletes Connection, Keep-Alive, Proxy-Connection, TE (but
 * "trailers"), HTTP2-Settings, Upgrade as they were received, and any Connection; what rules have
 * set stays. keep_upgrade: Upgrade and its Connection element are for the next hop, too. */
void message_strip_hops(struct message *msg, bool keep_upgrade);

/* Names to be written in other letters (h1-case-adjust), for peers that go by them. */
struct h1_names {
	const struct span *to;
	unsigned count;
};
void message_adjust_names(struct message *msg, const struct h1_names *names);

/* The wire format of a head, into memory of size bytes: start line, fields, empty line; what
 * framing and connection fields to write is decided by the caller, who has edited the message.
 * Control characters in names, values and the reason leave as blanks. Bytes written; 0: it does not
 * fit, or method and target would not be two words of one line. */
size_t h1_write_head(const struct message *msg, char *memory, size_t size);

/* The chunked coding (RFC 9112 7.1), from one piece to the next. Zeroed at the start. */
struct h1_chunks {
	uint64_t left;     /* payload bytes of the present chunk that were not seen yet: these come
			    * next */
	uint64_t size;     /* as far as its digits were seen */
	uint32_t trailer;  /* bytes of the trailer section so far: bounded */
	uint32_t hash;     /* of the trailer's name under way */
	char *kept;        /* set by the caller: where the trailer section is kept, with its last
			    * CRLF ... */
	uint16_t kept_room; /* ... when it is no longer than this; 0: it is not kept */
	uint16_t kept_len;
	uint16_t kept_line; /* where the present field begins there */
	uint16_t line;     /* length of the present line: bounded */
	uint16_t fields;   /* of the trailer section so far */
	uint16_t max;      /* set by the caller: most of them; 0: as many as fit */
	uint8_t state;
	uint8_t digits;
	bool response;     /* set by the caller: blanks behind a size are let pass (old servers
			    * pad it), errors are answered by 502 */
	bool halts;        /* set by the caller: stops in front of the first trailer field, with
			    * *consumed short of what it was shown; the caller clears it */
	bool drops;        /* the present field, which is not kept */
	bool bare_lf;      /* set by the caller, who takes the coding off: lines may end with LF alone;
			    * trailers are kept with CRLF */
};
/* Trailer fields that would frame or route a message are wrong in a request. In a response they are
 * not kept (RFC 9110 6.5.1): whoever passes on what is kept drops them. */
/* Looks at the next bytes of a body. The framing ends within them: H1_DONE and *consumed; else
 * *consumed is len (INCOMPLETE: all of it belongs to the body). Payload bytes are stepped over,
 * not looked at. When c->left > 0 after the call, that many further bytes are payload and
 * need not be shown at all: h1_chunks_skip. error->position counts from bytes. */
enum h1_result h1_chunks_scan(struct h1_chunks *c, const char *bytes, size_t len, size_t *consumed,
			      struct message_error *error);
static inline void h1_chunks_skip(struct h1_chunks *c, uint64_t n)
{
	c->left -= n;
}
/* The same, but takes the coding off: the payload found in bytes is moved to their front, *payload
 * bytes of it. */
enum h1_result h1_chunks_decode(struct h1_chunks *c, char *bytes, size_t len, size_t *consumed,
				size_t *payload, struct message_error *error);
/* The line in front of a chunk of n bytes, at most 18 characters; its length. Behind the chunk
 * comes CRLF, at the end of all "0\r\n" and a trailer section or CRLF. */
size_t h1_chunk_line(char line[20], uint64_t n);

#endif
