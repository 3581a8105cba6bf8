/* SPDX-License-Identifier: BSD-2-Clause */
/* The Huffman code in which names and values of fields are written (RFC 7541 5.2 and appendix B for
 * HPACK; RFC 9204 4.1.2 has the same for QPACK). Pure, and it knows nothing of fields. */
#ifndef HTTP_HUFFMAN_H
#define HTTP_HUFFMAN_H

#include "base/str.h"

#include <stdbool.h>

/* Takes the code off all of in. *len: bytes put to out, of room at most; 8 bytes out of 5 always
 * suffice. False: no room, or in is no such code (the end of a string within it, padding of a byte
 * or more, or padding that is not ones); out is of no use then. out may not overlap in. */
bool huffman_decode(struct span in, char *out, size_t room, size_t *len);

#endif
