/* SPDX-License-Identifier: BSD-2-Clause */
/* HPACK, the compression of fields in HTTP/2 (RFC 7541). Pure: bytes in, fields out, and back. */
#ifndef HTTP_HPACK_H
#define HTTP_HPACK_H

#include "base/str.h"
#include "http/message.h"

#include <stdbool.h>
#include <stdint.h>

/* Ids of pseudo fields (RFC 9113 8.3, RFC 8441 4), behind those of fields.def. */
enum pseudo_id {
	PSEUDO_AUTHORITY = FIELD_IDS, PSEUDO_METHOD, PSEUDO_PATH, PSEUDO_SCHEME, PSEUDO_STATUS,
	PSEUDO_PROTOCOL,
	PSEUDO_OTHER, /* a name that begins with a colon and is none of them */
};

enum {
	HPACK_OVERHEAD = 32,  /* that each entry is charged beside its bytes (4.1) */
	HPACK_DEFAULT = 4096, /* size of a table before anybody says otherwise */
	HPACK_FAR = 4,        /* so many times the limit of a list: nobody means that well */
};

struct hpack_entry;

/* A dynamic table: entries come at one end and go at the other. It takes no memory before its first
 * entry, and at most twice its limit. */
struct hpack_table {
	char *bytes;                 /* of the entries, oldest first, without gaps */
	struct hpack_entry *entries; /* a ring */
	uint32_t room;               /* of bytes */
	uint32_t places;             /* of entries: a power of two, or 0 */
	uint32_t first, count;       /* the oldest; how many */
	uint32_t base, end;          /* running offsets: of bytes[0]; behind the youngest */
	uint32_t size;               /* as the RFC counts */
	uint32_t limit;              /* in force: at most `most' */
	uint32_t most;               /* SETTINGS_HEADER_TABLE_SIZE of who reads it */
};

/* Empty, with limits of so many bytes. */
void hpack_table_init(struct hpack_table *table, uint32_t most);
/* Gives its memory back. It is empty then, with the same limits. */
void hpack_table_free(struct hpack_table *table);

enum hpack_result {
	HPACK_OK,
	HPACK_LARGE,     /* the block was read and the table is right, but not all fields fit */
	HPACK_BAD,       /* COMPRESSION_ERROR: the connection cannot go on */
	HPACK_BOMB,      /* far above the limit, ENHANCE_YOUR_CALM: nor here */
	HPACK_NO_MEMORY, /* the same for it */
};

/* Where fields go. Their bytes lie in memory, or are constants. */
struct hpack_fields {
	struct field *fields; /* pseudo fields, too: whoever asks checks their order */
	unsigned max, count;
	char *memory;
	size_t room, used;    /* of memory */
	uint64_t size;        /* of the list as RFC 9113 6.5.2 counts it: 32 bytes a field added */
	uint64_t limit;       /* above it: HPACK_LARGE */
};

/* Reads a whole block of fields: those of one HEADERS frame with all its CONTINUATIONs. Names are
 * as the peer wrote them: nothing is checked but the coding. A field that alone does not fit into
 * the memory is HPACK_BAD. */
enum hpack_result hpack_read(struct hpack_table *table, struct span block,
			     struct hpack_fields *to);

/* Writes fields; full: there was no room, and what stands before end is of no use. */
struct hpack_writer {
	char *at, *end;
	bool full;
};

void hpack_write_status(struct hpack_writer *w, unsigned status);
/* The pseudo field of this id, but :status. */
void hpack_write_pseudo(struct hpack_writer *w, enum pseudo_id id, struct span value);
/* id: of the name (field_id), which leaves in lower case. The reader's table stays as it is. */
void hpack_write_field(struct hpack_writer *w, enum field_id id, struct span name,
		       struct span value);

/* The Huffman code (RFC 7541 5.2, appendix B). Room for 8 bytes out of 5 always suffices. False: no
 * room, or it is no such code. */
bool hpack_huffman_decode(struct span in, char *out, size_t room, size_t *len);

#endif
