/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of fetches and converters: those that there are, and those of the manual that are not
 * supported yet. */
#ifndef EXPR_NAMES_H
#define EXPR_NAMES_H

#include "expr/expr.h"

/* Does the manual have a fetch (converter) of this name which is missing here? */
bool fetch_known(struct span name);
bool converter_known(struct span name);
/* Why there is no fetch or converter of this name, nor will be; NULL: there is no such reason. */
const char *name_explained(struct span name);
/* Is it missing because this build is without OpenSSL? */
bool name_needs_openssl(struct span name);
/* The row's name nearest to a misspelt one; NULL: none is near. */
const char *fetch_nearest(struct span name);
const char *converter_nearest(struct span name);

#endif
