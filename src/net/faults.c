/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of connections: numbers and sentences. */
#include "net/faults.h"

static const struct {
	unsigned number;
	const char *text;
} rows[CONN_FAULTS] = {
#define FAULT(name, number, text) [FAULT_##name] = { number, text },
#include "net/faults.def"
#undef FAULT
};

unsigned fault_number(enum conn_fault fault)
{
	return rows[fault].number;
}

const char *fault_text(enum conn_fault fault)
{
	return rows[fault].text;
}
