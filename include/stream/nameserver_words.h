/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of server lines behind name servers that are asked over TCP, and what they come to: TLS,
 * where connections come from, how many there are. */
#ifndef STREAM_NAMESERVER_WORDS_H
#define STREAM_NAMESERVER_WORDS_H

extern const struct module nameserver_words_module;

#endif
