/* SPDX-License-Identifier: BSD-2-Clause */
/* The key of a request by which its server is chosen (manual 4.2 "balance"). For the files of
 * stream/. */
#ifndef STREAM_BALANCE_KEY_H
#define STREAM_BALANCE_KEY_H

#include <stdbool.h>

struct balance_key;
struct stream;

/* Fills in key->hash, if the request has what the backend asks for: BALANCE_URI and above. */
void balance_key_find(struct stream *s, struct balance_key *key);
/* Must the request's body be there first (url_param with check_post)? */
bool balance_key_in_body(const struct stream *s);

#endif
