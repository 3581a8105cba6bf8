/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of HTTP/2 (RFC 9113 4, 6; RFC 9218 7). Pure functions over bytes: no socket, no
 * allocation, incremental at every byte. What is wrong is told with its code and with how far it
 * reaches: one stream, or the connection. */
#ifndef HTTP_H2_FRAME_H
#define HTTP_H2_FRAME_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum h2_type {
	H2_DATA, H2_HEADERS, H2_PRIORITY, H2_RST_STREAM, H2_SETTINGS, H2_PUSH_PROMISE, H2_PING,
	H2_GOAWAY, H2_WINDOW_UPDATE, H2_CONTINUATION,
	H2_PRIORITY_UPDATE = 16,
};

enum h2_flag {
	H2_END_STREAM = 0x1,  /* DATA, HEADERS */
	H2_ACK = 0x1,         /* SETTINGS, PING */
	H2_END_HEADERS = 0x4, /* HEADERS, PUSH_PROMISE, CONTINUATION */
	H2_PADDED = 0x8,      /* DATA, HEADERS, PUSH_PROMISE */
	H2_PRIORITIZED = 0x20, /* HEADERS */
};

/* RFC 9113 7. */
enum h2_code {
	H2_NO_ERROR, H2_PROTOCOL_ERROR, H2_INTERNAL_ERROR, H2_FLOW_CONTROL_ERROR,
	H2_SETTINGS_TIMEOUT, H2_STREAM_CLOSED, H2_FRAME_SIZE_ERROR, H2_REFUSED_STREAM, H2_CANCEL,
	H2_COMPRESSION_ERROR, H2_CONNECT_ERROR, H2_ENHANCE_YOUR_CALM, H2_INADEQUATE_SECURITY,
	H2_HTTP_1_1_REQUIRED,
};
/* Its name in the RFC; "unknown". */
const char *h2_code_name(uint32_t code);

enum h2_setting {
	H2_HEADER_TABLE_SIZE = 1, H2_ENABLE_PUSH, H2_MAX_CONCURRENT_STREAMS,
	H2_INITIAL_WINDOW_SIZE, H2_MAX_FRAME_SIZE, H2_MAX_HEADER_LIST_SIZE,
	H2_ENABLE_CONNECT_PROTOCOL = 8, /* RFC 8441 */
	H2_NO_RFC7540_PRIORITIES = 9,   /* RFC 9218 */
};

enum {
	H2_FRAME_HEADER = 9,
	H2_FRAME_LEAST = 16384,          /* SETTINGS_MAX_FRAME_SIZE: at least, and at first */
	H2_FRAME_MOST = (1 << 24) - 1,
	H2_WINDOW_FIRST = 65535,         /* SETTINGS_INITIAL_WINDOW_SIZE before anybody says
					  * otherwise, and of the connection */
	H2_WINDOW_MOST = INT32_MAX,
	H2_STREAM_MOST = INT32_MAX,
	H2_PREFACE_LEN = 24,
};
extern const char h2_preface[H2_PREFACE_LEN + 1]; /* what a client says first (3.4) */

struct h2_frame {
	uint32_t length; /* of what follows the header */
	uint32_t stream; /* 0: the connection */
	uint8_t type;    /* enum h2_type, or one that is not known: to be ignored */
	uint8_t flags;   /* enum h2_flag */
};

/* What is wrong with a frame. code H2_NO_ERROR: nothing. */
struct h2_fault {
	uint8_t code;     /* enum h2_code */
	bool connection;  /* the connection cannot go on; else the stream ends with RST_STREAM */
	const char *text; /* sentence */
};

/* ---- reading ---- */

/* Zeroed at the start of a connection, then max is set. */
struct h2_reader {
	uint32_t max;          /* our SETTINGS_MAX_FRAME_SIZE */
	uint32_t left;         /* bytes of a DATA frame that were not seen yet, padding included */
	uint8_t padding;       /* of these, at its end */
	bool begun;            /* a DATA frame is under way */
	bool owed;             /* the byte that says its padding was not charged yet */
	struct h2_frame frame; /* which */
};

enum h2_result {
	H2_MORE,  /* good so far: call again with more bytes (and those that were not taken) */
	H2_WHOLE, /* a frame that is not DATA, with all of its payload */
	H2_PIECE, /* a piece of the body, or the end of it */
	H2_BAD,   /* fault says what. If it does not concern the connection, the frame was taken */
};

/* What was read. */
struct h2_read {
	struct h2_frame frame;
	struct span payload; /* WHOLE: without padding, and HEADERS without their priority. PIECE:
			      * bytes of the body, maybe none */
	uint32_t dependency; /* HEADERS, PRIORITY: the stream they are to depend on */
	uint32_t flow;       /* PIECE: how many bytes the windows are charged, padding included */
	bool last;           /* PIECE: the frame ends with it */
	struct h2_fault fault;
};

/* Reads on; *bytes moves behind what was taken. DATA is given as it comes; other frames wait until
 * they are complete, so at most r->max + H2_FRAME_HEADER bytes stay behind. What can be wrong with
 * a frame alone was checked: its length, its stream (none, or one), its padding, a window's
 * increment of 0, a priority of stream 0. Flags that its type does not have are cleared. After a
 * fault of the connection nothing more is read. */
enum h2_result h2_read(struct h2_reader *r, struct span *bytes, struct h2_read *out);

/* A number of four bytes at p. */
uint32_t h2_number(const char *p);
/* The next of the settings in a payload; *at: 0 at first. False: no more. */
bool h2_setting_next(struct span payload, size_t *at, uint16_t *id, uint32_t *value);
/* Is the value allowed (6.5.2, RFC 8441 3, RFC 9218 2.1)? server: it comes from one. */
bool h2_setting_check(unsigned id, uint32_t value, bool server, struct h2_fault *fault);

/* ---- writing ---- */

/* Each writes to p and returns the byte behind. There is room: H2_FRAME_HEADER and what is said. */
char *h2_write_header(char *p, enum h2_type type, unsigned flags, uint32_t stream, uint32_t length);
enum { H2_SETTING_SIZE = 6, H2_RST_SIZE = 13, H2_PING_SIZE = 17, H2_GOAWAY_SIZE = 17,
       H2_WINDOW_SIZE = 13 }; /* the last four with their headers */
char *h2_write_setting(char *p, enum h2_setting id, uint32_t value); /* without header */
char *h2_write_rst(char *p, uint32_t stream, enum h2_code code);
char *h2_write_ping(char *p, unsigned flags, const char opaque[8]);
char *h2_write_goaway(char *p, uint32_t last, enum h2_code code); /* without debug data */
char *h2_write_window(char *p, uint32_t stream, uint32_t increment);
char *h2_write_priority_update(char *p, uint32_t stream, struct span value);

/* ---- priorities (RFC 9218 4, 5) ---- */

enum { H2_URGENCY_USUAL = 3, H2_URGENCY_LEAST = 7 };
struct h2_priority {
	uint8_t urgency; /* 0 to 7; 0 goes first */
	bool incremental;
};
/* Reads a priority field; what it does not say, or says wrongly, stays as it is in *p. False: the
 * text is no dictionary of structured fields (RFC 8941), *p is untouched. */
bool h2_priority_read(struct span value, struct h2_priority *p);

#endif
