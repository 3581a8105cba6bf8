/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a connection was of no use before its first byte was: net/faults.def. */
#ifndef NET_FAULTS_H
#define NET_FAULTS_H

enum conn_fault {
#define FAULT(name, number, text) FAULT_##name,
#include "net/faults.def"
#undef FAULT
	CONN_FAULTS
};

/* For the fetches, and for people. */
unsigned fault_number(enum conn_fault fault);
const char *fault_text(enum conn_fault fault);

#endif
