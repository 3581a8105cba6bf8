/* SPDX-License-Identifier: BSD-2-Clause */
/* Single settings of TLS that have no struct of their own: for the files of tls/, each of which
 * says what it does by them. Written before the process serves, but for tests, which shorten. */
#ifndef TLS_TUNE_H
#define TLS_TUNE_H

#include <stdbool.h>

struct tls_tune {
	unsigned capture_size; /* tune.ssl.capture-buffer-size: most bytes of lists that are kept
				* of a ClientHello; 0: none is. Written by notes.c */
	unsigned parsed_most;  /* certificates that are kept parsed (cert.c). Tests alone write */
	unsigned silence_ms;   /* how long a connection is silent before it is folded
				* (silence.c). Folding and unfolding cost some 10 us. Tests alone
				* write */
	bool keylog;           /* tune.ssl.keylog: secrets are noted. Written by notes.c */
	bool skip_root;        /* ssl-skip-self-issued-ca: what is sent is
				* tls_chain_without_root of what the file has. Written by
				* store_conf.c */
	bool files_stand_in;   /* the configuration is only explained: for a file that cannot be
				* read something stands in (stand_in.c). Written by explain/ */
};
extern struct tls_tune tls_tune;

#endif
