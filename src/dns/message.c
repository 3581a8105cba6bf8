/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * c-ares builds questions and expands names, pointers included; what lies between names is walked
 * through here, since of whole answers c-ares gives neither the additional records nor the reasons
 * why one is none. Bytes come from anybody: each length is looked at before it is believed.
 */
#include "dns/message.h"

#include "dns/files.h"

#include <ares.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CLASS_IN = 1, QUESTION_TAIL = 4, ALIASES_MOST = 16,
       NAMES_SIZE = 1 << 17 }; /* bytes for targets of one answer */
enum { FLAG_ANSWER = 0x8000, FLAG_CUT = 0x0200, OPCODE = 0x7800, RCODE = 0x000f };
enum { RCODE_NX = 3, RCODE_REFUSED = 5 };

/* A message that is read, and how far. */
struct reader {
	const unsigned char *bytes;
	size_t len, at;
};

/* A resource record: where its name and its data begin. */
struct resource {
	size_t name, data;
	unsigned type, class, len;
	uint32_t ttl;
};

static struct dns_answer_records answer;
static char names[NAMES_SIZE];
static size_t names_used;

const char *dns_library(void)
{
	static char text[40];

	snprintf(text, sizeof(text), "c-ares %s", ares_version(NULL));
	return text;
}

size_t dns_question_write(const char *name, enum dns_type type, uint16_t id, unsigned payload,
			  unsigned char *to)
{
	unsigned char *bytes = NULL;
	int len = 0;

	if (ares_create_query(name, CLASS_IN, (int)type, id, 1, &bytes, &len, (int)payload))
		return 0;
	if (len <= DNS_QUESTION_MOST)
		memcpy(to, bytes, (size_t)len);
	else
		len = 0;
	ares_free_string(bytes);
	return (size_t)len;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static unsigned get16(const unsigned char *at)
{
	return (unsigned)(at[0] << 8 | at[1]);
}

static uint32_t get32(const unsigned char *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

/* The name at that place, and how many bytes it takes there. name has room for DNS_NAME_MOST + 1:
 * one that cannot be asked for is empty. False: it breaks off, or leads in a round. */
static bool read_name(const struct reader *r, size_t at, char *name, size_t *taken)
{
	char *text = NULL;
	size_t i, len;
	long size = 0;

	if (at >= r->len || ares_expand_name(r->bytes + at, r->bytes, (int)r->len, &text, &size))
		return false;
	len = strlen(text);
	if (len > DNS_NAME_MOST)
		len = 0;
	for (i = 0; i < len; i++)
		name[i] = (char)tolower((unsigned char)text[i]);
	name[len] = 0;
	ares_free_string(text);
	*taken = (size_t)size;
	return true;
}

/* Bytes of a name as it stands there, without following it. 0: it breaks off. */
static size_t name_length(const struct reader *r, size_t at)
{
	size_t begin = at;

	while (at < r->len && r->bytes[at] && r->bytes[at] < 0xc0)
		at += 1u + r->bytes[at];
	if (at >= r->len)
		return 0;
	at += r->bytes[at] ? 2 : 1;
	return at <= r->len ? at - begin : 0;
}

/* The next record. False: it breaks off. */
static bool next_resource(struct reader *r, struct resource *rr)
{
	size_t taken = name_length(r, r->at), head;

	if (!taken || r->len - r->at - taken < 10)
		return false;
	rr->name = r->at;
	head = r->at + taken;
	rr->type = get16(r->bytes + head);
	rr->class = get16(r->bytes + head + 2);
	rr->ttl = get32(r->bytes + head + 4);
	if (rr->ttl > INT32_MAX) /* RFC 2181 8 */
		rr->ttl = 0;
	rr->len = get16(r->bytes + head + 8);
	rr->data = head + 10;
	if (rr->len > r->len - rr->data)
		return false;
	r->at = rr->data + rr->len;
	return true;
}

/* Is the record's name this one? The name of the question stands at the beginning, and most records
 * point there. */
static bool resource_is(const struct reader *r, const struct resource *rr, const char *wanted,
			bool is_question)
{
	const unsigned char *at = r->bytes + rr->name;
	char name[DNS_NAME_MOST + 1];
	size_t taken;

	if (is_question && at[0] == 0xc0 && at[1] == DNS_HEAD)
		return true;
	return read_name(r, rr->name, name, &taken) && !strcmp(name, wanted);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Is it an answer to this question? Then r stands behind the question. */
static bool answers(struct reader *r, const char *name, enum dns_type type)
{
	const unsigned char *b = r->bytes;
	char asked[DNS_NAME_MOST + 1];
	size_t taken;

	if (!(get16(b + 2) & FLAG_ANSWER) || get16(b + 2) & OPCODE || get16(b + 4) != 1)
		return false;
	if (!read_name(r, DNS_HEAD, asked, &taken) || strcasecmp(asked, name))
		return false;
	r->at = DNS_HEAD + taken;
	if (r->len - r->at < QUESTION_TAIL || get16(b + r->at) != (unsigned)type ||
	    get16(b + r->at + 2) != CLASS_IN)
		return false;
	r->at += QUESTION_TAIL;
	return true;
}

enum chain { CHAIN_NONE, CHAIN_ALIAS, CHAIN_WRONG };

/* Replaces the name by what its aliases lead to, in whatever order they stand. */
static enum chain follow(const struct reader *from, unsigned count, char *name)
{
	enum chain chain = CHAIN_NONE;
	unsigned i, hops;

	for (hops = 0; hops < ALIASES_MOST; hops++) {
		struct reader r = *from;
		struct resource rr;
		bool found = false;
		size_t taken;

		for (i = 0; i < count && !found && next_resource(&r, &rr); i++)
			found = rr.type == DNS_CNAME && rr.class == CLASS_IN &&
				resource_is(&r, &rr, name, chain == CHAIN_NONE);
		if (!found)
			return chain;
		if (!read_name(&r, rr.data, name, &taken) || taken != rr.len)
			return CHAIN_WRONG;
		chain = CHAIN_ALIAS;
	}
	return CHAIN_WRONG;
}

static bool take_address(const struct reader *r, const struct resource *rr, struct dns_record *to)
{
	if (rr->type == DNS_A && rr->len == sizeof(to->v4.v4)) {
		to->v4.family = AF_INET;
		memcpy(&to->v4.v4, r->bytes + rr->data, rr->len);
		return true;
	}
	if (rr->type == DNS_AAAA && rr->len == sizeof(to->v6.v6)) {
		to->v6.family = AF_INET6;
		memcpy(&to->v6.v6, r->bytes + rr->data, rr->len);
		return true;
	}
	return false;
}

/* A service whose target is "." is not there (RFC 2782): it gives no record. */
static bool take_service(const struct reader *r, const struct resource *rr, struct dns_record *to)
{
	const unsigned char *data = r->bytes + rr->data;
	char name[DNS_NAME_MOST + 1];
	size_t taken, len;

	if (rr->len < 7 || !read_name(r, rr->data + 6, name, &taken) || taken + 6 != rr->len)
		return false;
	len = dns_name(span_of(name), name);
	if (!len || names_used + len + 1 > NAMES_SIZE)
		return true;
	to->priority = (uint16_t)get16(data);
	to->weight = (uint16_t)get16(data + 2);
	to->port = (uint16_t)get16(data + 4);
	to->target = memcpy(names + names_used, name, len + 1);
	names_used += len + 1;
	return true;
}

/* The records of the answer's first section. aliased: the name is not that of the question. False:
 * one of them is broken. foreign: there are records of other names. */
static bool take_records(struct reader *r, unsigned count, const char *name, bool aliased,
			 enum dns_type type, bool *foreign)
{
	char other[DNS_NAME_MOST + 1];
	struct resource rr;
	size_t taken;
	unsigned i;

	*foreign = false;
	for (i = 0; i < count; i++) {
		struct dns_record *to = &answer.record[answer.count];

		if (!next_resource(r, &rr))
			return false;
		if (rr.type != (unsigned)type || rr.class != CLASS_IN || answer.count == DNS_RECORDS)
			continue;
		if (!resource_is(r, &rr, name, !aliased)) {
			if (!read_name(r, rr.name, other, &taken))
				return false;
			*foreign = true;
			continue;
		}
		memset(to, 0, sizeof(*to));
		to->ttl = rr.ttl;
		if (!(type == DNS_SRV ? take_service(r, &rr, to) : take_address(r, &rr, to)))
			return false;
		answer.count += type != DNS_SRV || to->target;
	}
	return true;
}

/* Addresses of targets, as far as they are there: what is broken behind is left out. */
static void take_additional(struct reader *r, unsigned skip, unsigned count)
{
	char name[DNS_NAME_MOST + 1];
	struct resource rr;
	unsigned i, n;
	size_t taken;

	for (n = 0; n < skip + count && next_resource(r, &rr); n++) {
		if (n < skip || rr.class != CLASS_IN || (rr.type != DNS_A && rr.type != DNS_AAAA) ||
		    !read_name(r, rr.name, name, &taken))
			continue;
		for (i = 0; i < answer.count; i++)
			if (!strcmp(answer.record[i].target, name))
				take_address(r, &rr, &answer.record[i]);
	}
}

static enum dns_said read_records(struct reader *r, const char *question, enum dns_type type)
{
	unsigned count = get16(r->bytes + 6), skip = get16(r->bytes + 8), more = get16(r->bytes + 10);
	char name[DNS_NAME_MOST + 1];
	enum chain chain;
	bool foreign;
	size_t i;

	for (i = 0; question[i] && i < DNS_NAME_MOST; i++)
		name[i] = (char)tolower((unsigned char)question[i]);
	name[i] = 0;
	chain = follow(r, count, name);
	if (chain == CHAIN_WRONG)
		return DNS_SAID_ALIAS_WRONG;
	if (!take_records(r, count, name, chain == CHAIN_ALIAS, type, &foreign))
		return DNS_SAID_INVALID;
	if (!answer.count)
		return foreign ? DNS_SAID_ALIAS_WRONG :
		       chain == CHAIN_ALIAS ? DNS_SAID_ALIAS : DNS_SAID_NONE;
	if (type == DNS_SRV)
		take_additional(r, skip, more);
	return DNS_SAID_RECORDS;
}

enum dns_said dns_answer_read(struct span bytes, const char *name, enum dns_type type,
			      const struct dns_answer_records **records)
{
	struct reader r = { (const unsigned char *)bytes.ptr, bytes.len, 0 };
	unsigned flags;

	answer.count = 0;
	names_used = 0;
	*records = &answer;
	if (bytes.len < DNS_HEAD)
		return DNS_SAID_INVALID;
	flags = get16(r.bytes + 2);
	if (!answers(&r, name, type))
		return DNS_SAID_FOREIGN;
	if ((flags & RCODE) == RCODE_NX)
		return DNS_SAID_NX;
	if ((flags & RCODE) == RCODE_REFUSED)
		return DNS_SAID_REFUSED;
	if (flags & RCODE)
		return DNS_SAID_OTHER;
	return flags & FLAG_CUT ? DNS_SAID_TRUNCATED : read_records(&r, name, type);
}
