/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that somebody has to read. In the folders that contrib/check-results names, each function
 * of a header that returns bool, int or an enum is marked, and no call in their sources stands
 * there as a statement of its own. */
#ifndef BASE_RESULT_H
#define BASE_RESULT_H

/* In front of a declaration: the compiler complains about callers that drop the result. */
#define MUST_USE __attribute__((warn_unused_result))
/* Drops the result of a call on purpose; why: a string that says what makes that right. */
#define DROPPED(call, why) ((void)!(call), (void)sizeof("" why))

#endif
