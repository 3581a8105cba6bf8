/* SPDX-License-Identifier: BSD-2-Clause */
/* The note (share.md) in which servers and backends that commands have added live over a reload. */
#ifndef PROXY_SERVERS_NOTE_H
#define PROXY_SERVERS_NOTE_H

#include "share/region.h"

/* Attached or made by servers_kept.c, if somebody wants it; else there is none. */
extern struct region servers_note;
/* What it is: for who attaches or makes it. Static. */
const struct region_spec *servers_note_spec(void);

/* "added-servers keep": notes them for the next image. Parent. */
void servers_keep(void);

#endif
