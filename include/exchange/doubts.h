/* SPDX-License-Identifier: BSD-2-Clause */
/* What is suspicious in a configuration that is right: notices, and notes for -dD. */
#ifndef EXCHANGE_DOUBTS_H
#define EXCHANGE_DOUBTS_H

extern const struct module doubts_module;

#endif
