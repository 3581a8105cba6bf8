/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets the loop rest between its polls while large transfers make up the work. */
#ifndef RELAY_REST_H
#define RELAY_REST_H

#include <stddef.h>

/* A pump (who: it is not looked into) has pulled so many bytes into a pipe. */
void rest_moved(const void *who, size_t bytes);

#endif
