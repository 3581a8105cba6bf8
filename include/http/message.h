/* SPDX-License-Identifier: BSD-2-Clause */
/* An HTTP message without its body: start line, fields, framing. Spans point into whatever
 * memory the bytes were received in, or into the arena of the exchange when a rule has written
 * them; nothing is copied. Valid until the head has left and can no longer be sent again. The
 * codecs (http/h1.h, later HTTP/2) fill it in and write it out; rules edit it by the functions
 * here. It knows no socket, no stream and no version of the wire format. RFC 9110. */
#ifndef HTTP_MESSAGE_H
#define HTTP_MESSAGE_H

#include "base/str.h"

struct arena;

enum method {
	METHOD_OTHER, /* a token that methods.def does not have: message.method_text has it */
#define METHOD(name, flags) METHOD_##name,
#include "http/methods.def"
#undef METHOD
};

/* Names that the codec, the exchange or frequent rules ask for; looked up once while parsing.
 * FIELD(id, "lower-case-name") in fields.def. */
enum field_id {
	FIELD_OTHER,
#define FIELD(id, name) FIELD_##id,
#include "http/fields.def"
#undef FIELD
	FIELD_IDS
};

struct field {
	struct span name;  /* as received; ptr NULL: deleted, to be stepped over */
	struct span value; /* without blanks around it */
	uint8_t id;        /* enum field_id */
	bool line;         /* name, ": ", value and CRLF lie in one piece, as received */
	bool hop;          /* received for this hop alone: message_strip_hops takes it off */
	bool settled;      /* Connection of a rule, as it may leave: message_settle */
};

/* How the end of the body is told (RFC 9112 6.3). */
enum body_framing {
	BODY_NONE,    /* there is none, whatever the fields say: HEAD, 1xx, 204, 304, no length */
	BODY_LENGTH,  /* message.length bytes */
	BODY_CHUNKED,
	BODY_CLOSE,   /* response: until the connection ends */
	BODY_TUNNEL,  /* after CONNECT or an accepted Upgrade: bytes both ways, to the close */
};

enum {
	MSG_KEEP_ALIVE = 1 << 0,   /* its sender keeps the connection open: version, Connection */
	MSG_CLOSE = 1 << 1,        /* "Connection: close" was there */
	MSG_UPGRADE = 1 << 2,      /* Connection names upgrade, and Upgrade is there */
	MSG_EXPECT_100 = 1 << 3,   /* Expect: 100-continue */
	MSG_HAS_HOST = 1 << 4,
	MSG_ABSOLUTE = 1 << 5,     /* absolute-form or authority-form target */
	MSG_INTERIM = 1 << 6,      /* 1xx other than 101 */
	MSG_EDITED = 1 << 7,       /* fields or start line are no longer what was received */
	MSG_HTTP09 = 1 << 8,       /* request without version, by option; major.minor say 1.0: so
				    * it is passed on, while the response goes back without a head
				    * and ends with the connection */
	MSG_HOPS = 1 << 10,        /* there may be fields that message_strip_hops takes off */
	MSG_HOSTLESS = 1 << 12,    /* request of 1.1 without Host: by option, or left to the
				    * caller */
	MSG_FOR_PROXY = 1 << 11,   /* the client takes us for a proxy, and credentials are such */
	MSG_CLOSES = 1 << 13,      /* rules want the connection closed that it leaves over */
	MSG_INVALID = 1 << 9,      /* accepted by an option only: captured for "show errors" */
};

/* What is wrong in a message, for the answer, the log and "show errors". A response of the server
 * that is wrong is answered by 502. */
struct message_error {
	uint16_t status;     /* to answer with: 400, 414, 431, 501, 505; 502 for responses */
	uint32_t position;   /* offset of the byte that is wrong */
	const char *text;    /* sentence */
};

struct message {
	bool is_response;
	uint8_t method;             /* request: enum method */
	uint8_t major, minor;       /* of the version: 1.0, 1.1, later 2.0; 0.0: the message is
				     * empty */
	uint16_t status;            /* response */
	uint16_t flags;             /* MSG_* */
	uint8_t framing;            /* enum body_framing */
	uint16_t count, max;        /* used; room in fields */
	uint16_t most;              /* so many fields a head may have; where there is no room for
				     * them the parsers ask for more (H1_FULL) */
	uint32_t head_len;          /* bytes of the head on the wire, empty line included */
	uint32_t grown;             /* what editing has added to that, or more */
	uint64_t length;            /* BODY_LENGTH: bytes of the body */
	struct field *fields;       /* in order; deleted ones are stepped over */
	const char *received;       /* these bytes, as long as h1_write_head would make the very
				     * same ones; NULL: it would not. Editing clears it */
	struct span reason;         /* response */
	struct span target;         /* request: as received, or as rules have rewritten it */
	struct span method_text;    /* request */
	struct span protocol;       /* by option: a name other than HTTP with its version */
	struct span host;           /* request: Host, or the authority of the target */
};

/* Empties it; fields has room for max, which are the most. */
void message_init(struct message *msg, bool is_response, struct field *fields, uint16_t max);

/* The id of a name (case does not matter). */
enum field_id field_id(struct span name);
/* The name that belongs to an id, in lower case. */
struct span field_id_name(enum field_id id);
/* Do two texts agree, but for the case of ASCII letters? */
bool span_equal_nocase(struct span a, struct span b);
/* Does the field have this name? Never, once it was deleted. */
bool field_name_is(const struct field *f, struct span name);
/* The same, with the name's id (field_id) at hand: it saves comparing letters. */
bool field_matches(const struct field *f, enum field_id id, struct span name);

/* The n-th field line (from 0) behind *at of that name, whole value. at: 0 at first, is moved
 * behind what was found. NULL: none. */
struct field *message_find(const struct message *msg, struct span name, unsigned *at);
struct field *message_find_id(const struct message *msg, enum field_id id, unsigned *at);
/* One element after the other of the comma lists of all fields of the name (RFC 9110 5.6.1; quoted
 * strings are kept whole); walk starts zeroed. False: no more. */
struct field_walk {
	unsigned at;               /* index of the next field */
	size_t offset;             /* within the value, behind the last element */
	const struct field *field; /* whose elements are being listed; NULL: find the next */
};
bool message_next_element(const struct message *msg, struct span name, struct field_walk *walk,
			  struct span *element);
/* Is token (lower case) an element of a comma list, whatever its case? */
bool list_has_token(struct span list, struct span token);
/* The next element of one comma list, without the blanks around it. at: 0 at first. False: no
 * more. list_next steps over empty ones, list_next_any does not. */
bool list_next(struct span list, size_t *at, struct span *element);
bool list_next_any(struct span list, size_t *at, struct span *element);
/* Do these protocols of Upgrade begin another one of HTTP, or TLS? Nobody may, behind our back. */
bool upgrade_is_for_hops(struct span protocols);

/* Editing. Memory comes from the arena; false: no memory, or the head would have more than
 * 65,535 fields. Strings must stay as long as the message does (the arena's, or received). */
bool message_add(struct message *msg, struct arena *arena, struct span name, struct span value);
/* All of the name go, then one is added. */
bool message_set(struct message *msg, struct arena *arena, struct span name, struct span value);
/* All of the name go; how many they were. */
unsigned message_delete(struct message *msg, struct span name);
void message_delete_field(struct message *msg, struct field *f);
void message_set_value(struct message *msg, struct field *f, struct span value);
/* The request's target: whole; its path (query kept); its path and query; its query (a question
 * mark once there stays). The new target lies in the arena. In authority-form (CONNECT) there is
 * neither path nor query: it stays as it is. Behind an authority a path gets the slash that it
 * lacks: else it would be more of that. */
bool message_set_target(struct message *msg, struct arena *arena, struct span target);
bool message_set_path(struct message *msg, struct arena *arena, struct span path);
bool message_set_pathq(struct message *msg, struct arena *arena, struct span pathq);
bool message_set_query(struct message *msg, struct arena *arena, struct span query);
/* RFC 9110 4.2.3: an empty path is "/"; but for OPTIONS, which asks the server as a whole where
 * there is no query either (RFC 9112 3.2.4). */
bool message_fill_path(struct message *msg, struct arena *arena);
/* The host that a target names, if it names one, becomes this one, which Host will say (RFC 9112
 * 3.2.2). What cannot be an authority takes an absolute target's away: Host is left to say it.
 * False also where CONNECT would have no host; nothing has changed then. */
bool message_set_authority(struct message *msg, struct arena *arena, struct span authority);
bool message_set_method(struct message *msg, struct arena *arena, struct span method);
/* The body, if there is one, has another length: so many bytes, or nobody knows how many. framing,
 * Content-Length and Transfer-Encoding say so. A message without a body stays as it is. */
bool message_set_length(struct message *msg, struct arena *arena, uint64_t length);
bool message_set_unmeasured(struct message *msg, struct arena *arena);
/* reason.ptr NULL: the usual one. */
void message_set_status(struct message *msg, unsigned status, struct span reason);

/* A rule has changed the method of a request: does the new one go with that form of target, and
 * with that body? any_payload: a body is allowed with every method. */
bool message_method_fits(const struct message *msg, bool any_payload);
/* Before a request that has MSG_INVALID goes to the next hop: what is left of it that two
 * recipients could read in two ways is written as it was read. "#" and bytes above 127 of the
 * target are escaped; a Host that is missing is that of the target, or an empty one (RFC 9112
 * 3.2). False: no memory. */
bool message_repair(struct message *msg, struct arena *arena);
/* A message is about to leave: what rules have made of Connection and Upgrade. "close" becomes
 * MSG_CLOSES, for who says it; "keep-alive" is not theirs to say; other options stay. Upgrade and
 * the option of that name leave together or not at all, and in a request only where the client has
 * asked (MSG_UPGRADE, which is taken back where a rule has taken either away). False: no memory. */
bool message_settle(struct message *msg, struct arena *arena);
/* How many bytes the head has as text, one line a field. */
size_t message_size(const struct message *msg);
/* Is its body one that would better be spliced from its beginning? */
static inline bool message_is_large(const struct message *msg)
{
	return msg->framing == BODY_LENGTH && msg->length >= 32768;
}

/* The usual phrase of a status, "" when none is known (status.def, IANA registry). */
const char *status_reason(unsigned status);
struct span method_span(enum method method);
/* Does it read alone (RFC 9110 9.2.1): GET, HEAD, OPTIONS, TRACE? */
bool method_is_safe(enum method method);
enum method method_find(struct span text);

#endif
