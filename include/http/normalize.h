/* SPDX-License-Identifier: BSD-2-Clause */
/* Normal forms of request targets: RFC 3986 6.2.2 and the manual's "normalize-uri". Pure. */
#ifndef HTTP_NORMALIZE_H
#define HTTP_NORMALIZE_H

#include "base/str.h"

#include <stdbool.h>

enum normalizer {
	FRAGMENT_ENCODE, FRAGMENT_STRIP, PATH_MERGE_SLASHES, PATH_STRIP_DOT, PATH_STRIP_DOTDOT,
	PERCENT_DECODE_UNRESERVED, PERCENT_TO_UPPERCASE, QUERY_SORT_BY_NAME, NORMALIZERS
};
/* What of a target it works on. */
enum uri_part { URI_PATH, URI_PATHQ, URI_QUERY };

/* "path-strip-dot" ... */
const char *normalizer_name(enum normalizer how);
enum uri_part normalizer_part(enum normalizer how);
/* Writes the normal form of the part to out, which has room for 3 * in.len + 3 bytes. option:
 * "full" of PATH_STRIP_DOTDOT, "strict" of PERCENT_*. A path begins with a slash. False: malformed,
 * as strict has it; or a query of more than 1,024 parameters. */
bool uri_normalize(enum normalizer how, bool option, struct span in, char *out, size_t *len);

#endif
