/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process is among those that share tables. Written by memory.c. */
#include "stick/inside.h"

static struct stick_row nobody; /* a process that shares with none */
struct stick_self stick_self = { .row = &nobody };
struct stick_teller *stick_teller;

const struct stick_definition *stick_definition(const struct stick_table *t)
{
	return &t->def;
}
