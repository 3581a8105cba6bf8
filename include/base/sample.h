/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample: a typed value that a fetch finds, a converter changes, an ACL compares. Manual
 * chapter 7.1 (types and casts). */
#ifndef BASE_SAMPLE_H
#define BASE_SAMPLE_H

#include "base/str.h"

#include <netinet/in.h>

enum sample_type { SMP_ANY, SMP_BOOL, SMP_INT, SMP_IPV4, SMP_IPV6, SMP_STR, SMP_BIN, SMP_METH,
		   SMP_TYPES,
		   /* In tables only; a sample never has them: */
		   SMP_ADDR = SMP_TYPES, /* IPv4 or IPv6 */
		   SMP_SAME };           /* a converter's result: of the type that came in */

enum { SMP_MAY_CHANGE = 1 << 0, /* more data may give another result: wait */
       SMP_CONST = 1 << 1,      /* str points into memory that must not be written */
       SMP_NOT_LAST = 1 << 2 }; /* the fetch has further values of this name */

struct sample {
	enum sample_type type;
	unsigned flags;
	union {
		int64_t num; /* bool, int, method */
		struct in_addr v4;
		struct in6_addr v6;
		struct span str; /* str, bin */
	};
};

#endif
