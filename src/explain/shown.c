/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of bytes and addresses (explain/shown.h). Called by whoever tells something. */
#include "explain/shown.h"

#include "base/encode.h"
#include "net/addr.h"

void shown_bytes(struct text *to, struct span bytes, bool is_lines)
{
	size_t i, n;

	for (i = 0; i < bytes.len; i += n) {
		unsigned char c = (unsigned char)bytes.ptr[i];
		bool line = is_lines && (c == '\n' || (c == '\r' && i + 1 < bytes.len &&
						       bytes.ptr[i + 1] == '\n'));

		n = utf8_len(bytes.ptr + i, bytes.len - i);
		if (line && c == '\n')
			text_char(to, '\n');
		else if (!line && (c < 32 || c == 127 || !n))
			text_printf(to, "\\x%02x", c);
		else if (!line)
			text_add(to, bytes.ptr + i, n);
		n += !n;
	}
}

void shown_addr(struct text *to, const struct addr *addr)
{
	if (addr->family == AF_UNIX)
		text_str(to, addr->path ? addr->path : "a Unix socket");
	else
		addr_print_clear(addr, to);
}
