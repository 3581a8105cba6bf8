/* SPDX-License-Identifier: BSD-2-Clause */
/* Called by lookup.c and resolvers.c, which read the files. Bytes come from files that others
 * write: whatever is no line of the right form is passed over. */
#include "dns/files.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { LABEL_MOST = 63, DNS_PORT = 53 };

/* ---- words of lines ------------------------------------------------------------------------- */

/* The next line, without its comment; false: there is none. */
static bool next_line(struct span *rest, struct span *line, const char *comments)
{
	const char *end;
	size_t i;

	if (!rest->len)
		return false;
	end = memchr(rest->ptr, '\n', rest->len);
	line->ptr = rest->ptr;
	line->len = end ? (size_t)(end - rest->ptr) : rest->len;
	rest->ptr += line->len + (end != NULL);
	rest->len -= line->len + (end != NULL);
	for (i = 0; i < line->len; i++)
		if (strchr(comments, line->ptr[i])) /* NUL, too */
			line->len = i;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word of a line; empty: there is none. */
static struct span next_word(struct span *line)
{
	struct span word;

	while (line->len && is_blank(*line->ptr)) {
		line->ptr++;
		line->len--;
	}
	word = (struct span){ line->ptr, 0 };
	while (word.len < line->len && !is_blank(word.ptr[word.len]))
		word.len++;
	line->ptr += word.len;
	line->len -= word.len;
	return word;
}

/* ---- names and addresses -------------------------------------------------------------------- */

bool dns_literal(struct span text, struct addr *addr)
{
	char copy[INET6_ADDRSTRLEN];

	if (text.len >= 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']') {
		text.ptr++;
		text.len -= 2;
		if (!memchr(text.ptr, ':', text.len))
			return false;
	}
	if (!text.len || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = 0;
	memset(addr, 0, sizeof(*addr));
	addr->family = memchr(copy, ':', text.len) ? AF_INET6 : AF_INET;
	return strlen(copy) == text.len && inet_pton(addr->family, copy, &addr->v6) == 1;
}

size_t dns_name(struct span text, char *name)
{
	size_t i, label = 0;
	bool letters = false;

	if (text.len && text.ptr[text.len - 1] == '.')
		text.len--;
	if (!text.len || text.len > DNS_NAME_MOST)
		return 0;
	for (i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '.') {
			if (!label)
				return 0;
			label = 0;
			letters = false;
			name[i] = '.';
			continue;
		}
		if (!(c < 128 && isalnum(c)) && c != '_' && (c != '-' || !label))
			return 0;
		if (++label > LABEL_MOST)
			return 0;
		letters |= !isdigit(c);
		name[i] = (char)tolower(c);
	}
	name[i] = 0;
	/* The last label of a name has a letter: others are taken for addresses (RFC 1123 2.1). */
	return label && letters ? i : 0;
}

/* ---- resolv.conf ---------------------------------------------------------------------------- */

bool dns_servers_next(struct span *rest, struct dns_server_line *at)
{
	struct span line;

	while (next_line(rest, &line, "#;")) {
		at->number++;
		if (!span_equal(next_word(&line), span_of("nameserver")))
			continue;
		at->word = next_word(&line);
		at->good = dns_literal(at->word, &at->addr);
		at->addr.port = DNS_PORT;
		return true;
	}
	return false;
}

/* ---- hosts ---------------------------------------------------------------------------------- */

struct host {
	uint32_t name, len; /* in names */
	struct addr addr;
};

struct dns_hosts {
	struct host *host; /* by name; of one name in the order of the file */
	size_t count, room;
	char *names;
	size_t used;
};

static bool host_add(struct dns_hosts *hosts, struct span word, const struct addr *addr)
{
	struct host *more;
	char *name = hosts->names + hosts->used;
	size_t len;

	len = word.len <= DNS_NAME_MOST + 1 ? dns_name(word, name) : 0;
	if (!len)
		return true;
	if (hosts->count == hosts->room) {
		hosts->room = hosts->room ? 2 * hosts->room : 16;
		more = realloc(hosts->host, hosts->room * sizeof(*more));
		if (!more)
			return false;
		hosts->host = more;
	}
	hosts->host[hosts->count++] = (struct host){ (uint32_t)hosts->used, (uint32_t)len, *addr };
	hosts->used += len;
	return true;
}

static const char *compared_names;

static int compare_text(struct span a, struct span b)
{
	int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int host_compare(const void *a, const void *b)
{
	const struct host *x = a, *y = b;
	int order = compare_text((struct span){ compared_names + x->name, x->len },
				 (struct span){ compared_names + y->name, y->len });

	return order ? order : (x->name > y->name) - (x->name < y->name);
}

struct dns_hosts *dns_hosts_parse(struct span text)
{
	struct dns_hosts *hosts = calloc(1, sizeof(*hosts));
	struct span line, word;
	struct addr addr;
	bool ok = hosts != NULL;

	/* A name and its end are never longer than it was in the text; the last one is written whole
	 * before it counts. */
	if (ok)
		hosts->names = malloc(text.len + DNS_NAME_MOST + 2);
	ok = ok && hosts->names;
	while (ok && next_line(&text, &line, "#")) {
		if (!dns_literal(next_word(&line), &addr))
			continue;
		while (ok && (word = next_word(&line)).len)
			ok = host_add(hosts, word, &addr);
	}
	if (!ok) {
		dns_hosts_free(&hosts);
		return NULL;
	}
	compared_names = hosts->names;
	if (hosts->count)
		qsort(hosts->host, hosts->count, sizeof(*hosts->host), host_compare);
	return hosts;
}

void dns_hosts_free(struct dns_hosts **at)
{
	struct dns_hosts *hosts = *at;

	*at = NULL;
	if (!hosts)
		return;
	free(hosts->host);
	free(hosts->names);
	free(hosts);
}

unsigned dns_hosts_find(const struct dns_hosts *hosts, struct span name, struct addr *addrs,
			unsigned most)
{
	size_t low = 0, high = hosts->count, middle;
	const struct host *h;
	unsigned n = 0;

	while (low < high) {
		middle = low + (high - low) / 2;
		h = &hosts->host[middle];
		if (compare_text((struct span){ hosts->names + h->name, h->len }, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < hosts->count; low++, n++) {
		h = &hosts->host[low];
		if (!span_equal((struct span){ hosts->names + h->name, h->len }, name))
			break;
		if (n < most)
			addrs[n] = h->addr;
	}
	return n;
}

char *dns_file_read(const char *path, size_t most, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = f ? malloc(most) : NULL;

	*len = 0;
	if (text)
		*len = fread(text, 1, most, f);
	if (f)
		fclose(f);
	return text;
}
