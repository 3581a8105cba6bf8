/* SPDX-License-Identifier: BSD-2-Clause */
/* The stats page as HTML, piece by piece. It is complete without its script, which brings numbers
 * up to date in place; nothing comes from elsewhere. */
#ifndef STATS_HTML_PAGE_H
#define STATS_HTML_PAGE_H

#include "stats/html.h"

/* The page that was asked for, from its begin; req is copied. */
void html_init(struct html *h, const struct page_request *req);
/* The next piece; false: it was the last. resumed: something else has run since. */
bool html_say(struct html *h, struct text *out, bool resumed);
/* The security policy that the page works under: the value of Content-Security-Policy. */
void html_say_policy(const struct page_request *req, struct text *out);

#endif
