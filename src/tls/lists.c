/* SPDX-License-Identifier: BSD-2-Clause */
/* All crt-lists, and one by its name. */
#include "tls/lists.h"

#include <string.h>

struct tls_list *tls_lists;

size_t tls_list_name_length(const char *name)
{
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	return len;
}

struct tls_list *tls_list_find(const char *name)
{
	size_t len = tls_list_name_length(name);
	struct tls_list *list;

	for (list = tls_lists; list; list = list->next)
		if (!strncmp(list->name, name, len) && !list->name[len])
			return list;
	return NULL;
}
