/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list behind feature(...) and -vv. A row becomes true when the thing works, not when a
 * library is linked.
 */
#include "config.h"

#include "base/feature.h"

#include <string.h>

#ifdef HAVE_ZLIB
#define FEATURE_ZLIB true
#else
#define FEATURE_ZLIB false
#endif

#ifdef HAVE_OPENSSL
#define FEATURE_OPENSSL true
#else
#define FEATURE_OPENSSL false
#endif

#ifdef HAVE_CARES
#define FEATURE_CARES true
#else
#define FEATURE_CARES false
#endif

#ifdef HAVE_LUA
#define FEATURE_LUA true
#else
#define FEATURE_LUA false
#endif

const struct feature features[] = {
	{ "51DEGREES", false },
	{ "ACCEPT4", true },
	{ "BACKTRACE", true },
	{ "CARES", FEATURE_CARES },
	{ "CLOSEFROM", false },
	{ "CPU_AFFINITY", true },
	{ "CRYPT_H", true },
	{ "DEVICEATLAS", false },
	{ "DL", false },
	{ "ENGINE", false },
	{ "EPOLL", true },
	{ "EVPORTS", false },
	{ "GETADDRINFO", true },
	{ "KQUEUE", false },
	{ "LIBCRYPT", true },
	{ "LINUX_CAP", true },
	{ "LINUX_SPLICE", true },
	{ "LINUX_TPROXY", true },
	{ "LUA", FEATURE_LUA },
	{ "MEMORY_PROFILING", false },
	{ "NETFILTER", true },
	{ "NS", true },
	{ "OBSOLETE_LINKER", false },
	{ "OPENSSL", FEATURE_OPENSSL },
	{ "OT", false },
	{ "PCRE", false },
	{ "PCRE2", true },
	{ "PCRE2_JIT", true },
	{ "PCRE_JIT", false },
	{ "POLL", false },
	{ "PRCTL", true },
	{ "PROCCTL", false },
	{ "PROMEX", true },
	{ "QUIC", false },
	{ "RT", true },
	{ "SLZ", false },
	{ "SSL", FEATURE_OPENSSL },
	{ "STATIC_PCRE", false },
	{ "STATIC_PCRE2", false },
	{ "SYSTEMD", true },
	{ "TFO", true },
	{ "THREAD", false },
	{ "THREAD_DUMP", false },
	{ "TPROXY", true },
	{ "WURFL", false },
	{ "ZLIB", FEATURE_ZLIB },
	{ NULL, false },
};

bool feature_present(const char *name)
{
	const struct feature *f;

	for (f = features; f->name; f++)
		if (!strcmp(f->name, name))
			return f->present;
	return false;
}
