/* SPDX-License-Identifier: BSD-2-Clause */
/* A stick table that stands alone, for the tests of stick tables. */
#ifndef STICK_TEST_TABLE_H
#define STICK_TEST_TABLE_H

#include "stick/table.h"

/* Forgets all tables and opens this one; shared: one that several processes see. anew may be NULL;
 * false there: a table of this name was taken over from before. The test fails when it cannot.
 * Valid until test_table_end. */
struct stick_table *test_table_open(struct stick_definition def, bool shared, bool *anew);
/* A teardown of cmocka: forgets all tables. Returns 0. */
int test_table_end(void **state);
/* The test fails, with the reason, where the table is not sound. */
void test_table_is_sound(struct stick_table *t);
/* An integer as a key; valid until the next call. */
struct span test_table_key(uint32_t n);

#endif
