/* SPDX-License-Identifier: BSD-2-Clause */
/* Which answer an error gets: errorfile, errorloc, errorfiles, http-error, and the sections
 * http-errors. A proxy holds the newest line that speaks of errors; lines know the one before, so
 * that what a defaults section says is inherited by copying a pointer. */
#ifndef EXCHANGE_ERRORS_H
#define EXCHANGE_ERRORS_H

#include "base/result.h"
#include "config/config.h"
#include "config/module.h"
#include "proxy/part.h"

struct answer;
struct error_line;
struct error_section;

/* The newest line of a proxy that says how errors are answered. */
struct errors_conf {
	struct error_line *newest;
};

extern struct proxy_part errors_part;

/* NULL: none does. */
static inline struct error_line *errors_lines(const struct proxy *px)
{
	const struct errors_conf *conf = proxy_part(px, &errors_part);

	return conf ? conf->newest : NULL;
}

/* The answer of a status. False: nothing is said about it. */
MUST_USE bool errors_find(const struct error_line *newest, unsigned status,
			  const struct answer **answer);
MUST_USE bool error_section_find(const struct error_section *section, unsigned status,
				 const struct answer **answer);
/* Can errors of this status be given another answer? */
MUST_USE bool errors_handle(unsigned status);
/* Notes an answer whose section is to be looked up. */
void errors_pending(struct config *cfg, struct answer *answer);

extern const struct module errors_module;

#endif
