/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of OCSP responders, and URIs: whatever comes, the body lies in it, and more bytes never
 * undo a verdict. */
#include "base/bug.h"
#include "check/ocsp_http.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span whole = { (const char *)data, size }, body, part;
	enum ocsp_http verdict = OCSP_HTTP_MORE, now;
	struct ocsp_uri uri;
	size_t len;

	for (len = 0; len <= size && len < 512; len++) {
		now = ocsp_http_parse((struct span){ whole.ptr, len }, false, &part);
		BUG_ON(verdict != OCSP_HTTP_MORE && now != verdict);
		verdict = now;
	}
	if (ocsp_http_parse(whole, true, &body) == OCSP_HTTP_DONE)
		BUG_ON(body.ptr < whole.ptr || body.ptr + body.len > whole.ptr + whole.len);
	BUG_ON(ocsp_http_parse(whole, true, &body) == OCSP_HTTP_MORE);
	if (ocsp_uri_parse(whole, &uri))
		BUG_ON(!uri.host.len || !uri.path.len || !uri.port.len);
	return 0;
}
