/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/html.h"

#include "proxy/proxy.h"

#include <string.h>

bool html_name_has(const struct page_request *req, const char *name)
{
	return strcasestr(name, req->scope) != NULL;
}

bool html_wants(const struct page_request *req, const struct proxy *px)
{
	if (!page_allows(req, px))
		return false;
	if (!*req->scope || html_name_has(req, px->name))
		return true;
	for (const struct server *s = px->servers; s; s = s->next)
		if (html_name_has(req, s->id))
			return true;
	return false;
}
