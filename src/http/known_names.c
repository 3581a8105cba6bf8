/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that are known: fields, methods, status codes, from fields.def, methods.def and
 * status.def. A name is looked up by its length and a letter, then compared as a whole: a few
 * instructions for each field of each head.
 */
#include "http/message.h"

#include "base/bug.h"

#include "http/chars.h"

static const struct span field_names[FIELD_IDS] = {
	[FIELD_OTHER] = { "", 0 },
#define FIELD(id, name) [FIELD_##id] = { name, sizeof(name) - 1 },
#include "http/fields.def"
#undef FIELD
};

struct span field_id_name(enum field_id id)
{
	return field_names[id];
}

/* Where the lower-case name has a letter, bit 5 of the byte received does not matter: 4 or 8 bytes
 * at once. */
static inline bool equal4(const char *s, const char *lower)
{
	uint32_t a, b;

	memcpy(&a, s, 4);
	memcpy(&b, lower, 4);
	return (a | (b & 0x40404040u) >> 1) == b;
}

static inline bool equal8(const char *s, const char *lower)
{
	uint64_t a, b;

	memcpy(&a, s, 8);
	memcpy(&b, lower, 8);
	return (a | (b & 0x4040404040404040u) >> 1) == b;
}

/* Compares with a name of the same length: its beginning and its end, which overlap. */
static inline enum field_id field_if(struct span name, enum field_id id)
{
	const char *s = name.ptr, *lower = field_names[id].ptr;
	size_t len = name.len, i;

	if (len < 8)
		return equal4(s, lower) && equal4(s + len - 4, lower + len - 4) ? id : FIELD_OTHER;
	for (i = 0; i + 8 < len; i += 8)
		if (!equal8(s + i, lower + i))
			return FIELD_OTHER;
	return equal8(s + len - 8, lower + len - 8) ? id : FIELD_OTHER;
}

/* The only candidates of each length, told apart by a letter that differs. A name that is added to
 * fields.def and not here is found by the unit test. */
enum field_id field_id(struct span name)
{
	const char *s = name.ptr;

	switch (name.len) {
	case 2:
		return (s[0] | 0x20) == 't' && (s[1] | 0x20) == 'e' ? FIELD_TE : FIELD_OTHER;
	case 4:
		switch (s[0] | 0x20) {
		case 'h':
			return field_if(name, FIELD_HOST);
		case 'd':
			return field_if(name, FIELD_DATE);
		default:
			return field_if(name, FIELD_ETAG);
		}
	case 6:
		switch (s[0] | 0x20) {
		case 'a':
			return field_if(name, FIELD_ACCEPT);
		case 'c':
			return field_if(name, FIELD_COOKIE);
		case 'e':
			return field_if(name, FIELD_EXPECT);
		default:
			return field_if(name, FIELD_ORIGIN);
		}
	case 7:
		switch (s[0] | 0x20) {
		case 'u':
			return field_if(name, FIELD_UPGRADE);
		case 'r':
			return field_if(name, FIELD_REFERER);
		default:
			return field_if(name, FIELD_TRAILER);
		}
	case 8:
		return field_if(name, FIELD_LOCATION);
	case 10:
		switch (s[0] | 0x20) {
		case 'c':
			return field_if(name, FIELD_CONNECTION);
		case 'u':
			return field_if(name, FIELD_USER_AGENT);
		case 's':
			return field_if(name, FIELD_SET_COOKIE);
		default:
			return field_if(name, FIELD_KEEP_ALIVE);
		}
	case 12:
		return field_if(name, FIELD_CONTENT_TYPE);
	case 13:
		return field_if(name, (s[0] | 0x20) == 'c' ? FIELD_CACHE_CONTROL :
							     FIELD_AUTHORIZATION);
	case 14:
		return field_if(name, (s[0] | 0x20) == 'c' ? FIELD_CONTENT_LENGTH :
							     FIELD_HTTP2_SETTINGS);
	case 15:
		return field_if(name, (s[0] | 0x20) == 'a' ? FIELD_ACCEPT_ENCODING :
							     FIELD_X_FORWARDED_FOR);
	case 16:
		return field_if(name, (s[0] | 0x20) == 'c' ? FIELD_CONTENT_ENCODING :
							     FIELD_PROXY_CONNECTION);
	case 17:
		return field_if(name, FIELD_TRANSFER_ENCODING);
	case 19:
		return field_if(name, FIELD_PROXY_AUTHORIZATION);
	default:
		return FIELD_OTHER;
	}
}

static const struct span method_names[] = {
	[METHOD_OTHER] = { "", 0 },
#define METHOD(name, flags) [METHOD_##name] = { #name, sizeof(#name) - 1 },
#include "http/methods.def"
#undef METHOD
};

bool method_is_safe(enum method method)
{
	static const unsigned flags_of[] = {
		[METHOD_OTHER] = 0,
#define METHOD(name, flags) [METHOD_##name] = flags,
#include "http/methods.def"
#undef METHOD
	};

	return flags_of[method] & METHOD_SAFE;
}

struct span method_span(enum method method)
{
	return method_names[method];
}

static enum method method_if(struct span text, enum method method)
{
	return span_equal(text, method_names[method]) ? method : METHOD_OTHER;
}

/* Methods are case-sensitive (RFC 9110 9.1). */
enum method method_find(struct span text)
{
	switch (text.len ? text.ptr[0] : 0) {
	case 'G':
		return method_if(text, METHOD_GET);
	case 'H':
		return method_if(text, METHOD_HEAD);
	case 'P':
		if (text.len == 4)
			return method_if(text, METHOD_POST);
		return method_if(text, text.len == 3 ? METHOD_PUT : METHOD_PATCH);
	case 'D':
		return method_if(text, METHOD_DELETE);
	case 'O':
		return method_if(text, METHOD_OPTIONS);
	case 'C':
		return method_if(text, METHOD_CONNECT);
	case 'T':
		return method_if(text, METHOD_TRACE);
	default:
		return METHOD_OTHER;
	}
}

/* Of codes that the registry does not know; the words are the reference's. */
static const char *status_class_reason(unsigned class)
{
	static const char *const reasons[] = { "Other", "Informational", "Success", "Redirection",
					       "Client Error", "Server Error" };

	return reasons[class < ARRAY_LEN(reasons) ? class : 0];
}

const char *status_reason(unsigned status)
{
	switch (status) {
#define STATUS(code, phrase)                                                                       \
	case code:                                                                                \
		return phrase;
#include "http/status.def"
#undef STATUS
	default:
		break;
	}
	return status_class_reason(status / 100);
}
