/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of reg-tests/expr that hold what the reference said, for unit tests. */
#ifndef EXPR_TEST_ROWS_H
#define EXPR_TEST_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* Asks same of each row, "what TAB result": it says whether ours is the same, and may print what
 * it is. Empty lines, lines without a tab and comments (#) are passed over. The test fails unless
 * all are the same and there are more than least. */
void test_rows(const char *file, bool (*same)(const char *what, const char *result), int least);
/* Copies text into out; '@' becomes the folder of pattern files. Cut when size is short. */
void test_rows_expand(const char *text, char *out, size_t size);

#endif
