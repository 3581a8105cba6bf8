/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of HTTP/2 with one request (explain/h2_client.h). It opens its windows as far as they go
 * and has no dynamic table. Called by run.c. */
#include "explain/h2_client.h"

#include "explain/inside.h"
#include "http/h2_frame.h"
#include "http/hpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- what it says ---------------------------------------------------------------------------- */

static void frame(struct bytes *to, enum h2_type type, unsigned flags, uint32_t stream,
		  struct span payload)
{
	char header[H2_FRAME_HEADER];

	h2_write_header(header, type, flags, stream, (uint32_t)payload.len);
	bytes_add(to, header, sizeof(header));
	bytes_add(to, payload.ptr, payload.len);
}

/* In pieces of at most one frame; those behind the first are of the type `more'. */
static void frames(struct bytes *to, enum h2_type type, enum h2_type more, unsigned first_flags,
		   unsigned last_flags, struct span all)
{
	struct span piece;

	do {
		piece = (struct span){ all.ptr,
				       all.len < H2_FRAME_LEAST ? all.len : H2_FRAME_LEAST };
		all.ptr += piece.len;
		all.len -= piece.len;
		frame(to, type, first_flags | (all.len ? 0 : last_flags), 1, piece);
		type = more;
		first_flags = 0;
	} while (all.len);
}

static void begin(struct bytes *to)
{
	char memory[2 * H2_SETTING_SIZE + H2_WINDOW_SIZE], *p;

	bytes_add(to, h2_preface, H2_PREFACE_LEN);
	p = h2_write_setting(memory, H2_HEADER_TABLE_SIZE, 0);
	p = h2_write_setting(p, H2_INITIAL_WINDOW_SIZE, H2_WINDOW_MOST);
	frame(to, H2_SETTINGS, 0, 0, (struct span){ memory, (size_t)(p - memory) });
	p = h2_write_window(memory, 0, H2_WINDOW_MOST - H2_WINDOW_FIRST);
	bytes_add(to, memory, (size_t)(p - memory));
}

/* Up to the character c, or the end; *text moves behind it. */
static struct span until(struct span *text, char c)
{
	const char *at = text->len ? memchr(text->ptr, c, text->len) : NULL;
	struct span found = { text->ptr, at ? (size_t)(at - text->ptr) : text->len };
	size_t taken = found.len + (at != NULL);

	text->ptr += taken;
	text->len -= taken;
	return found;
}

/* A line without its end. Empty: the head is over. */
static struct span next_line(struct span *text)
{
	struct span line = until(text, '\n');

	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	return line;
}

static struct span trimmed(struct span s)
{
	while (s.len && (*s.ptr == ' ' || *s.ptr == '\t')) {
		s.ptr++;
		s.len--;
	}
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

static bool is_host(struct span name)
{
	return name.len == 4 && !strncasecmp(name.ptr, "host", 4);
}

static struct span host_of(struct span lines)
{
	struct span line, name;

	while ((line = next_line(&lines)).len) {
		name = until(&line, ':');
		if (is_host(name))
			return trimmed(line);
	}
	return (struct span){ NULL, 0 };
}

static void write_fields(struct hpack_writer *w, struct span *lines)
{
	struct span line, name;

	while ((line = next_line(lines)).len) {
		name = until(&line, ':');
		if (!is_host(name))
			hpack_write_field(w, field_id(name), name, trimmed(line));
	}
}

void h2_client_says(struct span request, struct span scheme, struct bytes *to)
{
	size_t room = request.len * 2 + 1024;
	char *block = malloc(room);
	struct hpack_writer w = { .at = block, .end = block + room };
	struct span line = next_line(&request), method = until(&line, ' '),
		    target = until(&line, ' '), authority = host_of(request);

	if (!block)
		return;
	begin(to);
	hpack_write_pseudo(&w, PSEUDO_METHOD, method);
	if (!span_equal(method, span_of("CONNECT"))) {
		hpack_write_pseudo(&w, PSEUDO_SCHEME, scheme);
		hpack_write_pseudo(&w, PSEUDO_PATH, target);
	}
	if (authority.ptr)
		hpack_write_pseudo(&w, PSEUDO_AUTHORITY, authority);
	write_fields(&w, &request);
	frames(to, H2_HEADERS, H2_CONTINUATION, request.len ? 0 : H2_END_STREAM, H2_END_HEADERS,
	       (struct span){ block, (size_t)(w.at - block) });
	if (request.len)
		frames(to, H2_DATA, H2_DATA, 0, H2_END_STREAM, request);
	free(block);
}

/* ---- what it hears --------------------------------------------------------------------------- */

enum { FIELDS_MOST = 1024, MEMORY_MOST = 1 << 20 };

static void put_span(struct bytes *to, struct span s)
{
	bytes_add(to, s.ptr, s.len);
}

static void hears_head(struct field_table *table, struct span block, struct bytes *to)
{
	struct field *fields = calloc(FIELDS_MOST, sizeof(*fields));
	char *memory = malloc(MEMORY_MOST);
	struct hpack_fields list = { .fields = fields, .max = FIELDS_MOST, .memory = memory,
				     .room = MEMORY_MOST, .limit = MEMORY_MOST };
	unsigned i;

	if (fields && memory && hpack_read(table, block, &list) == HPACK_OK) {
		for (i = 0; i < list.count; i++) {
			bool status = span_equal(fields[i].name, span_of(":status"));

			bytes_str(to, status ? "HTTP/2 " : "");
			if (!status) {
				put_span(to, fields[i].name);
				bytes_str(to, ": ");
			}
			put_span(to, fields[i].value);
			bytes_str(to, "\r\n");
		}
		bytes_str(to, "\r\n");
	}
	free(fields);
	free(memory);
}

static void hears_end(const struct h2_read *r, struct bytes *to)
{
	bool stream = r->frame.type == H2_RST_STREAM;
	uint32_t code = h2_number(r->payload.ptr + (stream ? 0 : 4));
	char text[100];

	if (!stream && code == H2_NO_ERROR)
		return;
	snprintf(text, sizeof(text), "(%s ends: %s)\r\n\r\n",
		 stream ? "the stream" : "the connection", h2_code_name(code));
	bytes_str(to, text);
}

static void hears(const struct h2_read *r, struct field_table *table, struct bytes *block,
		  struct bytes *to)
{
	switch (r->frame.type) {
	case H2_HEADERS:
	case H2_CONTINUATION:
		put_span(block, r->payload);
		if (!(r->frame.flags & H2_END_HEADERS))
			break;
		hears_head(table, (struct span){ block->ptr, block->len }, to);
		block->len = 0;
		break;
	case H2_DATA:
		put_span(to, r->payload);
		break;
	case H2_RST_STREAM:
	case H2_GOAWAY:
		hears_end(r, to);
		break;
	}
}

void h2_client_hears(struct span said, struct bytes *to)
{
	struct h2_reader reader = { .max = H2_FRAME_LEAST };
	struct bytes block = { NULL, 0, 0 };
	struct field_table table;
	struct h2_read r;
	enum h2_result result;

	field_table_init(&table, HPACK_DEFAULT);
	while ((result = h2_read(&reader, &said, &r)) != H2_MORE && result != H2_BAD)
		hears(&r, &table, &block, to);
	field_table_free(&table);
	free(block.ptr);
}
