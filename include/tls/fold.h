/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of OpenSSL's memory that nobody will look at for a while, without the pages that they lie
 * in: OpenSSL's struct of a connection has 7.6 kB, and all but 1.6 of them are zero. */
#ifndef TLS_FOLD_H
#define TLS_FOLD_H

/* Puts what a piece holds aside, and gives its pages back to the system. The piece stays taken and
 * its address stays valid. Its bytes are not valid: nobody may read or write them until the piece
 * is unfolded. Returns what is to be given to tls_unfold. NULL: the piece is as it was; it has no
 * pages of its own, would not become smaller, or there is no memory. */
void *tls_fold(void *memory);

/* All is as it was; cannot fail. Clears *folded. */
void tls_unfold(void *memory, void **folded);

#endif
