/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of servers by the form of the stats page. */
#ifndef STATS_FORM_H
#define STATS_FORM_H

#include "event/change.h"
#include "stats/page.h"

struct message;

/* Carries out the form: "b=<backend>&action=<action>&s=<server>&s=..."; b may be "#<id>", s may be
 * "*": all servers. body is changed. Returns the code of the result, for st=CODE: DONE, PART
 * (some servers are not known), NONE, ERRP (nothing was done: the request is wrong). Must not
 * be called from inside a pump's run: streams may end. */
const char *page_change(const struct page_request *req, char *body, size_t len);

/* An action on one server, on its way to all processes. */
extern const struct change_kind page_change_kind;

/* May the form come from this very page? A browser that was led to send it by another site
 * says so, by Sec-Fetch-Site, Origin or Referer; programs that are no browsers send none of
 * them. */
bool page_form_is_ours(const struct message *request);

#endif
