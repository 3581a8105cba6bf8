/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells versions, features, libraries and words. Called by main(); prints and returns.
 */
#include "process/version.h"

#include "base/bug.h"
#include "base/feature.h"
#include "base/tables.h"
#include "base/version.h"
#include "cli/command.h"
#include "config/help.h"
#include "dns/message.h"
#include "expr/expr_help.h"
#include "process/sandbox.h"
#include "tls/about.h"

#include "config.h"

#ifdef HAVE_LUA
#include "lua/help.h"
#include <lua.h>
#endif

#define PCRE2_CODE_UNIT_WIDTH 8
#include <link.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void print_features(FILE *out)
{
	const struct feature *f;

	fprintf(out, "\nFeature list :");
	for (f = features; f->name; f++)
		fprintf(out, " %c%s", f->present ? '+' : '-', f->name);
	fputc('\n', out);
}

static void print_libraries(FILE *out)
{
	char version[64] = "?";
	uint32_t jit = 0;

	pcre2_config(PCRE2_CONFIG_VERSION, version);
	pcre2_config(PCRE2_CONFIG_JIT, &jit);
	fputc('\n', out);
	tls_about(out);
	fprintf(out, "Built with PCRE2 version : %d.%d, running on %s, JIT : %s\n", PCRE2_MAJOR,
		PCRE2_MINOR, version, jit ? "yes" : "no");
#ifdef HAVE_LUA
	fprintf(out, "Built with Lua version : %s\n", LUA_RELEASE);
#endif
	fprintf(out, "Names are asked for by : %s\n", dns_library() ? dns_library() : "nobody");
	fprintf(out, "Filter of system calls : %s\n", sandbox_available() ? "yes" : "no");
	fprintf(out, "Built with the Prometheus exporter as a service\n");
	fprintf(out, "Built with compiler : %s\n", __VERSION__);
	fprintf(out, "Polling system : epoll\n");
	fprintf(out, "Available services : prometheus-exporter\n");
}

void version_print(FILE *out, bool details)
{
	struct utsname u;

	fprintf(out, "Penstock version %s %s, for tools: HAProxy version %s\n", version_penstock,
		version_date, version_for_tools);
	if (!details)
		return;
	fprintf(out, "HAProxy language level %s\n", version_language);
	if (uname(&u) == 0)
		fprintf(out, "Running on: %s %s %s\n", u.sysname, u.release, u.machine);
	print_features(out);
	print_libraries(out);
}

static int print_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	char path[4096];
	ssize_t n;

	(void)size;
	if (info->dlpi_name && *info->dlpi_name == '/') {
		fprintf(arg, "%s\n", info->dlpi_name);
	} else if (info->dlpi_name && !*info->dlpi_name) {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		if (n > 0)
			fprintf(arg, "%.*s\n", (int)n, path);
	}
	return 0;
}

void version_libraries(FILE *out)
{
	dl_iterate_phdr(print_object, out);
}

static void dump_configuration(void)
{
	printf("# configuration\n");
	help_dump(stdout, modules);
}

static void dump_matrix(void)
{
	help_matrix(stdout, modules);
}

static void dump_fetches(void)
{
	printf("# sample fetches\n");
	expr_dump_fetches(stdout);
}

static void dump_converters(void)
{
	printf("# converters: from and to\n");
	expr_dump_converters(stdout);
}

static void dump_acls(void)
{
	printf("# words of ACLs, and predefined ACLs\n");
	expr_dump_acls(stdout);
}

static void dump_commands(void)
{
	struct tables_walk walk = { 0 };
	const struct cli_command *row;

	printf("# commands\n");
	while ((row = tables_next(&cli_tables, &walk)))
		printf("%s%s%s\n", row->words, row->args ? " " : "", row->args ? row->args : "");
}

#ifdef HAVE_LUA
static void dump_lua(void)
{
	lua_manual(stdout);
}
#endif

static const struct {
	const char *name;
	void (*dump)(void);
	const char *help;
} classes_table[] = {
	{ "acl", dump_acls, "words of ACLs" },
	{ "cfg", dump_configuration, "words of the configuration" },
	{ "cli", dump_commands, "commands of the stats socket" },
	{ "cnv", dump_converters, "converters of samples" },
#ifdef HAVE_LUA
	{ "lua", dump_lua, "classes and functions of Lua, as Markdown" },
#endif
	{ "matrix", dump_matrix, "which words of proxies stand in which sections, as Markdown" },
	{ "smp", dump_fetches, "sample fetches" },
};

static int dump_class(const char *name, size_t len)
{
	bool all = len == 3 && !memcmp(name, "all", 3), any = all;
	size_t i;

	for (i = 0; i < ARRAY_LEN(classes_table); i++) {
		if (!all && (strlen(classes_table[i].name) != len ||
			     memcmp(classes_table[i].name, name, len) != 0))
			continue;
		classes_table[i].dump();
		any = true;
	}
	if (!any)
		fprintf(stderr, "penstock: -dK: '%.*s' is no class; -dKhelp lists them\n",
			(int)len, name);
	return any ? 0 : -1;
}

int version_dump_classes(const char *classes)
{
	size_t i, len;
	int rc = 0;

	if (!strcmp(classes, "help")) {
		printf("all: all of these\n");
		for (i = 0; i < ARRAY_LEN(classes_table); i++)
			printf("%s: %s\n", classes_table[i].name, classes_table[i].help);
		return 0;
	}
	for (; *classes; classes += len + (classes[len] == ',')) {
		len = strcspn(classes, ",");
		if (dump_class(classes, len) < 0)
			rc = -1;
	}
	return rc;
}
