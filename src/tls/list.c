/* SPDX-License-Identifier: BSD-2-Clause */
/* crt-lists. */
#include "tls/list.h"

struct tls_list {
	const char *name;
};

const char *tls_list_name(const struct tls_list *list)
{
	return list->name;
}
