/* SPDX-License-Identifier: BSD-2-Clause */
/* A span of a text that stands in the code. */
#ifndef BASE_LITERAL_H
#define BASE_LITERAL_H

#include "base/str.h"

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

#endif
