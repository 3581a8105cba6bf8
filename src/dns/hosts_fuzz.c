/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts as /etc/hosts and /etc/resolv.conf: each word of a line with an address in front is found
 * again, with as many addresses as a search from the start finds. */
#include "base/bug.h"
#include "dns/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words that are this name, on lines that begin with an address. */
static unsigned count(struct span text, struct span name)
{
	static const char blanks[] = " \t\r\v\f";
	char copy[DNS_NAME_MOST + 1];
	unsigned n = 0;
	struct addr addr;
	size_t at = 0, end, stop, from;
	bool first, good;

	while (at < text.len) {
		for (end = at; end < text.len && text.ptr[end] != '\n'; end++)
			;
		for (stop = at; stop < end && text.ptr[stop] != '#' && text.ptr[stop]; stop++)
			;
		first = true;
		good = false;
		while (at < stop) {
			if (strchr(blanks, text.ptr[at])) {
				at++;
				continue;
			}
			for (from = at; at < stop && !strchr(blanks, text.ptr[at]); at++)
				;
			struct span word = { text.ptr + from, at - from };

			if (first)
				good = dns_literal(word, &addr);
			else if (good && dns_name(word, copy) == name.len &&
				 !memcmp(copy, name.ptr, name.len))
				n++;
			first = false;
		}
		at = end + 1;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	struct dns_hosts *hosts;
	struct dns_server_line line = { 0 };
	struct span rest = text;
	struct addr addr[2];
	char name[DNS_NAME_MOST + 1];
	size_t from, to, len;

	if (size > 512)
		return 0;
	hosts = dns_hosts_parse(text);
	while (dns_servers_next(&rest, &line))
		BUG_ON(line.good && !line.addr.family);
	for (from = 0; hosts && from < size; from = to + 1) {
		for (to = from; to < size && (unsigned char)data[to] > ' ' && data[to] != '#'; to++)
			;
		len = dns_name((struct span){ text.ptr + from, to - from }, name);
		BUG_ON(len > to - from);
		if (len)
			BUG_ON(dns_hosts_find(hosts, (struct span){ name, len }, addr, 2) !=
			       count(text, (struct span){ name, len }));
	}
	dns_hosts_free(&hosts);
	return 0;
}
