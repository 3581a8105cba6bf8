/* SPDX-License-Identifier: BSD-2-Clause */
/* HPACK, the compression of fields in HTTP/2 (RFC 7541). Pure: bytes in, fields out, and back. */
#ifndef HTTP_HPACK_H
#define HTTP_HPACK_H

#include "base/str.h"
#include "http/field_table.h"
#include "http/message.h"
#include "http/pseudo.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	HPACK_DEFAULT = 4096, /* size of a table before anybody says otherwise */
	HPACK_FAR = 4,        /* so many times the limit of a list: nobody means that well */
};

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
enum hpack_result hpack_read(struct field_table *table, struct span block,
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

#endif
