/* SPDX-License-Identifier: BSD-2-Clause */
/* OCSP responses as they hang at certificates. Called by ocsp.c, and by cert.c when a certificate
 * goes. */
#include "tls/staple.h"

#include "base/err.h"
#include "tls/cert.h"

#include <stdlib.h>
#include <string.h>

struct list tls_ocsp_all = LIST_INIT(tls_ocsp_all);

void tls_ocsp_leave(struct tls_cert *cert)
{
	struct tls_ocsp *ocsp = cert->stapled;

	if (!ocsp)
		return;
	cert->stapled = NULL;
	list_remove(&ocsp->node);
	free(ocsp->response);
	free(ocsp->path);
	free(ocsp);
}

int tls_ocsp_put(struct tls_ocsp *ocsp, struct span der, int64_t until, struct err *err)
{
	unsigned char *copy = malloc(der.len);

	if (!copy)
		return err_set(err, "Out of memory.");
	memcpy(copy, der.ptr, der.len);
	free(ocsp->response);
	ocsp->response = copy;
	ocsp->len = der.len;
	ocsp->until = until;
	return 0;
}
