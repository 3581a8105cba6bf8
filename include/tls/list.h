/* SPDX-License-Identifier: BSD-2-Clause */
/* crt-lists: files whose lines name certificates, options and the names they are for; and directories,
 * which are lists of what is in them. Read once for one path; bind lines that name the same list
 * share it. */
#ifndef TLS_LIST_H
#define TLS_LIST_H

#include "base/str.h"
#include "tls/settings.h"

#include <stdbool.h>

struct arena;
struct err;
struct tls_bind;
struct tls_list;
struct location;

const char *tls_list_name(const struct tls_list *list);

#endif
