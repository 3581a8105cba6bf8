/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses that are words of the configuration; for the parsers of lines that have some. */
#include "net/addr_conf.h"

#include "base/err.h"
#include "config/config.h"
#include "config/reader.h"

int addr_conf_parse(struct statement *st, const char *text, unsigned allow, struct addr_spec *spec)
{
	struct err err;

	if (st->cfg->serving) /* all processes must read the same, and a look-up would hold them up */
		allow &= ~(unsigned)ADDR_NAMES;
	if (addr_parse(text, allow, st->cfg->arena, spec, &err) ||
	    (spec->unresolved && !st->cfg->check_only))
		return stmt_error(st, st->at - 1, "%s", err.text);
	if (spec->unresolved)
		stmt_warning(st, st->at - 1, "%s", err.text);
	return 0;
}
