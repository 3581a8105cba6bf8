/* SPDX-License-Identifier: BSD-2-Clause */
/* Pseudo fields: what a start line says, where messages are fields alone (RFC 9113 8.3, RFC 8441 4;
 * RFC 9114 4.3 has the same ones). */
#ifndef HTTP_PSEUDO_H
#define HTTP_PSEUDO_H

#include "http/message.h"

#include <stdint.h>

/* Their ids, behind those of fields.def. */
enum pseudo_id {
	PSEUDO_AUTHORITY = FIELD_IDS, PSEUDO_METHOD, PSEUDO_PATH, PSEUDO_SCHEME, PSEUDO_STATUS,
	PSEUDO_PROTOCOL,
	PSEUDO_OTHER, /* a name that begins with a colon and is none of them */
};

/* Of the name of any field: enum pseudo_id, or enum field_id (field_id). Names of pseudo fields are
 * in lower case. */
uint8_t pseudo_or_field_id(struct span name);

#endif
