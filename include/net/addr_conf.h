/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses that are words of the configuration. */
#ifndef NET_ADDR_CONF_H
#define NET_ADDR_CONF_H

#include "base/result.h"
#include "net/addr.h"

struct statement;

/* Parses the word that was just taken, or a part of it; allow as for addr_parse. A host name
 * without an address is an error; while the configuration is only checked it is a warning, and
 * spec->unresolved is set. 0, or -1 after a report. */
MUST_USE int addr_conf_parse(struct statement *st, const char *text, unsigned allow,
			     struct addr_spec *spec);

#endif
