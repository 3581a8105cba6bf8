/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of configurations, for unit tests. All modules read them, as with -c -dD. Linked into
 * tests only (cmocka). */
#ifndef CONFIG_TEST_PROBLEMS_H
#define CONFIG_TEST_PROBLEMS_H

struct config;

/* Reads the text behind a section "defaults" with mode http and time-outs, finishes it, and asserts
 * that this is said of it: "LINE SEVERITY: MESSAGE\n" for each problem in the order of lines, which
 * are counted from the first of text ("FILE:LINE" of another file); and that it is refused if one of
 * them is an error. A message that begins with a word of its line stands under this word; under
 * another one it is "LINE SEVERITY at WORD: MESSAGE\n". */
void config_says(const char *text, const char *expected);
/* The same, for who wants to look at what was read, and frees it (config_free). */
struct config *config_said(const char *text, const char *expected);

#endif
