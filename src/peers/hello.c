/* SPDX-License-Identifier: BSD-2-Clause */
/* The first lines of a connection between peers. Called by who has the connection; all that came is
 * looked at anew each time, as it is short. */
#include "peers/hello.h"

#include <stdio.h>

#define HELLO_WORD "HAProxyS "

/* The line at *at, without its end; *at is behind that then. False: it has no end yet. */
static bool next_line(struct span bytes, size_t *at, struct span *line)
{
	const char *begin = bytes.ptr + *at, *end;

	if (*at >= bytes.len)
		return false;
	end = memchr(begin, '\n', bytes.len - *at);
	if (!end)
		return false;
	*line = (struct span){ begin, (size_t)(end - begin) };
	*at += line->len + 1;
	if (line->len && end[-1] == '\r')
		line->len--;
	return true;
}

/* "HAProxyS 2.1" */
static enum hello_status read_version(struct span line, unsigned *minor)
{
	const size_t word = sizeof(HELLO_WORD) - 1;

	if (line.len < word || memcmp(line.ptr, HELLO_WORD, word) != 0)
		return HELLO_NOT_OURS;
	if (line.len != word + 3 || memcmp(line.ptr + word, "2.", 2) != 0)
		return HELLO_VERSION;
	if (line.ptr[word + 2] != '0' && line.ptr[word + 2] != '1')
		return HELLO_VERSION;
	*minor = (unsigned)(line.ptr[word + 2] - '0');
	return HELLO_ACCEPTED;
}

/* "name 123 1": something has to follow the name, whatever it is. */
static enum hello_status read_caller(struct span line, struct span *caller)
{
	const char *space = line.len ? memchr(line.ptr, ' ', line.len) : NULL;

	if (!space || space == line.ptr || space + 1 == line.ptr + line.len)
		return HELLO_NOT_OURS;
	*caller = (struct span){ line.ptr, (size_t)(space - line.ptr) };
	return HELLO_ACCEPTED;
}

static enum hello_status unfinished(struct span bytes)
{
	return bytes.len < HELLO_MOST ? HELLO_MORE : HELLO_NOT_OURS;
}

enum hello_status hello_read(struct span bytes, struct span local, struct hello *hello)
{
	enum hello_status status;
	struct span line;

	hello->len = 0;
	if (bytes.len > HELLO_MOST)
		bytes.len = HELLO_MOST;
	if (!next_line(bytes, &hello->len, &line))
		return unfinished(bytes);
	status = read_version(line, &hello->minor);
	if (status != HELLO_ACCEPTED)
		return status;
	if (!next_line(bytes, &hello->len, &line))
		return unfinished(bytes);
	if (!span_equal(line, local))
		return HELLO_NOT_CALLED;
	if (!next_line(bytes, &hello->len, &line))
		return unfinished(bytes);
	return read_caller(line, &hello->caller);
}

size_t hello_write(char *buf, size_t size, struct span called, struct span local, unsigned pid)
{
	int len = snprintf(buf, size, HELLO_WORD "2.1\n%.*s\n%.*s %u 1\n", (int)called.len,
			   called.ptr, (int)local.len, local.ptr, pid);

	return len > 0 && (size_t)len < size ? (size_t)len : 0;
}

int hello_read_status(struct span bytes, size_t *len)
{
	int status = 0;
	size_t i;

	for (i = 0; i < bytes.len; i++) {
		if (i >= 3 && bytes.ptr[i] == '\n') {
			*len = i + 1;
			return status;
		}
		if (i == 3 && bytes.ptr[i] == '\r')
			continue;
		if (i >= 3 || bytes.ptr[i] < '0' + !i || bytes.ptr[i] > '9')
			return -1;
		status = status * 10 + bytes.ptr[i] - '0';
	}
	return 0;
}

void hello_write_status(char buf[HELLO_STATUS_LEN], enum hello_status status)
{
	buf[0] = (char)('0' + status / 100 % 10);
	buf[1] = (char)('0' + status / 10 % 10);
	buf[2] = (char)('0' + status % 10);
	buf[3] = '\n';
}

const char *hello_explain(int status)
{
	switch (status) {
	case HELLO_ACCEPTED:
		return "it has accepted";
	case HELLO_TWICE:
		return "it has a connection under that name already";
	case HELLO_NOT_OURS:
		return "it does not take this for the protocol of peers";
	case HELLO_VERSION:
		return "it does not speak version 2.1";
	case HELLO_NOT_CALLED:
		return "it has another name than that of the line `peer'";
	case HELLO_STRANGER:
		return "it has no line `peer' with the name of this one";
	default:
		return "its answer is none of the protocol of peers";
	}
}
