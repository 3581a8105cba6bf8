/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder of a test's own in /tmp, and files in it. Linked into tests only (cmocka). */
#ifndef BASE_TEST_FOLDER_H
#define BASE_TEST_FOLDER_H

#include <stddef.h>

/* One at a time; goes with all that is in it. */
void test_folder_begin(void);
void test_folder_end(void);
const char *test_folder(void);
/* Of what has this name in it: until the eighth call from here. */
const char *test_path(const char *name);
/* Writes the text there, anew, and frees it. Its path, as test_path() has it. */
const char *test_file(const char *name, char *text);
/* The text, in which "D/" stands for the folder. Ends the test where size is too small. */
void test_with_folder(char *to, size_t size, const char *text);

#endif
