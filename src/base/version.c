/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The version numbers. The first comes from configure.ac; that of the language changes when
 * Penstock learns the words of a newer release of the language.
 */
#include "base/version.h"

#include "config.h"

#ifdef HAVE_OPENSSL
#include <openssl/opensslv.h>
const char version_tls[] = OPENSSL_VERSION_TEXT;
#else
const char version_tls[] = "";
#endif

const char version_penstock[] = PACKAGE_VERSION;
const char version_date[] = "2026/11/21";
#define LANGUAGE "2.6"

const char version_language[] = LANGUAGE;
const char version_for_tools[] = LANGUAGE ".99-penstock" PACKAGE_VERSION;
