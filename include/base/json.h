/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON (RFC 8259), walked by whoever knows what is in it. All functions leave p anywhere when they
 * return false. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/str.h"

struct json {
	const char *p, *end;
};

void json_blanks(struct json *j);
/* Is this the next character, behind blanks? Then it is passed. */
bool json_take(struct json *j, char c);
/* A string: what stands between the quotes, as it is written. */
bool json_string(struct json *j, struct span *raw);
/* Passes a value, nested at most 32 deep. */
bool json_skip(struct json *j);
/* From an object to the value of the key, as it is written. False: there is none. */
bool json_member(struct json *j, struct span name);
/* From an array to one of its elements, the first is 0. */
bool json_element(struct json *j, uint64_t index);
/* Appends what a string that is written so means, in UTF-8. */
bool json_unescape(struct span raw, struct text *t);

#endif
