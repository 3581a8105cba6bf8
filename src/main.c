/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry point: reads the command line, answers what needs no configuration, loads and checks
 * the files, and hands over to process_run. Exit codes: 0 done, 1 something is wrong, 2 of -c:
 * nothing is wrong, but there is nothing to start; -cc: 0 true, 1 false, 2 no condition.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fold.h"
#include "base/memory.h"
#include "cli/help.h"
#include "cli/language_help.h"
#include "cli/program.h"
#include "colocate/colocate.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/fragment.h"
#include "config/help.h"
#include "config/load.h"
#include "config/module.h"
#include "event/change.h"
#include "event/signals.h"
#include "exchange/exchange_part.h"
#include "exchange/http_rules.h"
#include "explain/explain.h"
#include "expr/expr_help.h"
#include "lb/balance_conf.h"
#include "net/addr.h"
#include "net/bind_part.h"
#include "peers/peers_conf.h"
#include "process/args.h"
#include "process/daemon.h"
#include "process/handover.h"
#include "process/parent_cli.h"
#include "process/process.h"
#include "process/reload.h"
#include "process/rights.h"
#include "process/self.h"
#include "process/version.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "stats/info.h"
#include "stream/end_help.h"
#include "stream/tcp_rules.h"

#include "config.h"

#ifdef HAVE_LUA
#include "lua/help.h"
#endif

#ifdef HAVE_OPENSSL
#include "tls/memory.h"
#endif

static int fail(const struct err *err)
{
	char line[sizeof(err->text) + 16];

	snprintf(line, sizeof(line), "penstock: %s\n", err->text);
	fold_text(stderr, line, fold_width(STDERR_FILENO));
	return 1;
}

static bool help_actions(const char *const *words, int count, bool any)
{
	static const struct rule_list *const sets[] = { tcp_rule_lists, http_rule_lists };
	const struct rule_list *lists[16], *l;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_LEN(sets); i++) {
		for (l = sets[i]; l->name; l++) {
			BUG_ON(n + 1 == ARRAY_LEN(lists));
			lists[n++] = l;
		}
	}
	lists[n] = NULL;
	return rule_help(stdout, lists, words, count, any);
}

/* What is no word of its own, but stands somewhere: samples, algorithms, parts of log lines. */
static bool help_value(const char *word, bool known)
{
	known = expr_help_word(stdout, word, known) || known;
	known = balance_help(stdout, word, known) || known;
	return end_help(stdout, word, known) || known;
}

static bool help_words(const char *const *words, int count)
{
	bool known = count == 1 && (explain_help(words[0]) || colocate_help(words[0]));

	known = help_word(stdout, modules, words, count) || known;
	known = help_actions(words, count, known);
	known = cli_help_words(stdout, words, count, known) || known;
	known = parent_cli_help(stdout, words, count, known) || known;
#ifdef HAVE_LUA
	known = (count == 1 && lua_help(stdout, words[0], known)) || known;
#endif
	known = language_help(stdout, words, count, known) || known;
	return count == 1 ? help_value(words[0], known) : known;
}

static const char where_more[] = "More: doc/configuration.md (words), doc/management.md (commands, "
				 "logs, columns), penstock(1).\n";

/* help WORD */
static int answer_help(const struct args *args)
{
	const char *const *words = args->words.items, *bare;
	int count = (int)args->words.count;
	char memory[80];

	if (!count) {
		args_usage(stdout);
		return 0;
	}
	bare = count == 1 ? language_bare(words[0], memory, sizeof(memory)) : NULL;
	if (help_words(words, count) || (bare && help_words(&bare, 1))) {
		printf("\n%s", where_more);
		return 0;
	}
	help_missing(stderr, modules, words, count);
	if (count == 1)
		expr_help_nearest(stderr, words[0]);
	fputs(where_more, stderr);
	return 1;
}

/* -S: an address, and words of bind lines, with commas between. */
static void load_parent_socket(struct config *cfg, const char *words)
{
	char *text = NULL, *p;
	int len = asprintf(&text, "global\n-S %s\n", words);

	if (len < 0)
		return;
	for (p = text; *p; p++)
		if (*p == ',')
			*p = ' ';
	config_read_text(cfg, "-S", text, (size_t)len);
	free(text);
}

/* Before the files, whose conditions may ask for them, and behind, so that they hold. */
static void load_switches(struct config *cfg, const struct args *args)
{
	if (args->no_splice)
		config_read_text(cfg, "-dS", "global\nnosplice\n", 16);
	if (args->no_server_verify)
		config_read_text(cfg, "-dV", "global\nssl-server-verify none\n", 30);
}

/* What the command line says goes last, so that it overrides the files. */
static void load_overrides(struct config *cfg, const struct args *args)
{
	char text[64];
	int len;

	if (args->maxconn) {
		len = snprintf(text, sizeof(text), "global\nmaxconn %d\n", args->maxconn);
		config_read_text(cfg, "-n", text, (size_t)len);
	}
	if (args->master)
		config_read_text(cfg, "-W", "global\nmaster-worker\n", 21);
	if (args->parent_socket)
		load_parent_socket(cfg, args->parent_socket);
	load_switches(cfg, args);
}

/* What of the command line the parsers and the finish of proxies must know. */
static void load_settings(struct config *cfg, const struct args *args)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	char host[256] = "localhost";

	all->global.proxy_maxconn = (unsigned)args->proxy_maxconn;
	all->global.ignore_resolution = args->ignore_resolution;
	addr_names.avoid_getaddrinfo = args->no_getaddrinfo;
	load_switches(cfg, args);
	gethostname(host, sizeof(host) - 1);
	if (args->old_count && args->old_signal == SIGUSR1)
		peers_conf_succeeds(cfg);
	peers_conf_local(cfg, args->local_peer ? args->local_peer : host, args->local_peer);
	setenv("HAPROXY_LOCALPEER", args->local_peer ? args->local_peer : host, 1);
	if (args->master) /* for conditions in the files */
		setenv("HAPROXY_MWORKER", "1", 1);
}

/* -cc */
static int answer_condition(const struct args *args)
{
	struct config *cfg = config_new(modules, true);
	struct err err;
	int value;

	if (!cfg)
		return 2;
	load_settings(cfg, args);
	value = config_condition(cfg, args->condition, &err);
	config_free(&cfg);
	if (value < 0)
		fail(&err);
	return value < 0 ? 2 : !value;
}

static int load_files(struct config *cfg, const struct args *args, struct err *err)
{
	struct config_files files = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; i < args->paths.count && rc == 0; i++)
		rc = config_files_add(&files, args->paths.items[i], err);
	if (rc == 0 && !files.count)
		rc = err_set(err, files.empty ? "no file *.cfg is in the folders that -f names" :
			     "no configuration file given (-f)");
	if (rc == 0)
		config_read_files(cfg, &files);
	load_overrides(cfg, args); /* a parent that waits needs its socket */
	if (rc == 0) {
		rc = config_finish(cfg);
		err->text[0] = 0;
	}
	config_files_free(&files);
	return rc;
}

static bool load_refuses_warnings(const struct config *cfg, const struct args *args)
{
	const struct environment *env = config_data(cfg, &environment_module);

	return (args->zero_warning || env->zero_warning) && cfg->diag->count[DIAG_WARNING];
}

static bool load_quiet(const struct config *cfg, const struct args *args)
{
	const struct environment *env = config_data(cfg, &environment_module);

	return (args->quiet || env->quiet) && !args->verbose;
}

/* What the parent shows as "startup-logs". */
static void load_keep_log(const struct config *cfg)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	diag_print(cfg->diag, out, false, 0, DIAG_NOTICE);
	fclose(out);
	reload_add_log(text, len);
	free(text);
}

static void load_report(const struct config *cfg, const struct args *args)
{
	enum severity least = load_quiet(cfg, args) ? DIAG_ERROR : DIAG_NOTE;

	diag_sort(cfg->diag);
	load_keep_log(cfg);
	if (args->json && args->check)
		diag_print_json(cfg->diag, stdout, DIAG_NOTE);
	else
		diag_print(cfg->diag, stderr, isatty(STDERR_FILENO), fold_width(STDERR_FILENO),
			   least);
}

/* Reads everything and reports. 0, or -1. */
static int load(struct config *cfg, const struct args *args)
{
	struct place place = { 0 };
	struct err err = { "" };
	int rc;

	cfg->diag->verbose = args->diagnose;
	load_settings(cfg, args);
	rc = load_files(cfg, args, &err);
	if (rc < 0 && err.text[0])
		diag_addf(cfg->diag, DIAG_ERROR, &place, "%s", err.text);
	if (load_refuses_warnings(cfg, args)) {
		diag_addf(cfg->diag, DIAG_ERROR, &place,
			  "there are warnings, and warnings are to be errors (%s)",
			  args->zero_warning ? "-dW" : "zero-warning");
		rc = -1;
	}
	load_report(cfg, args);
	return rc;
}

static bool has_listener(struct config *cfg)
{
	return proxies_have_listener(config_data(cfg, &proxy_module));
}

/* Nothing to listen on: nothing to start. Tools know these exit codes from the reference. */
static int refuse_idle(bool checked)
{
	if (!checked) {
		fold_text(stderr, "error: there is nothing to start: no section has a 'bind' line, "
			  "or all of them are disabled\n", fold_width(STDERR_FILENO));
		return 1;
	}
	fprintf(stderr, "Configuration file has no error but will not start (no listener) => "
			"exit(2).\n");
	return 2;
}

static int run(const struct args *args)
{
	struct config *cfg;
	struct err err;
	int rc;

	cli_startup_log = reload_log;
	change_kinds = change_kind_list;
	reload_log_begin();
	handover_offer_segment();
	clock_update(); /* states note since when they are what they are */
	cfg = config_new(modules, args->check);
	if (!cfg) {
		fprintf(stderr, "penstock: out of memory\n");
		return 1;
	}
	cfg->read_before = process_self.taken_over;
	rc = load(cfg, args) < 0;
	config_running = cfg;
	if (process_self.taken_over && (rc || !has_listener(cfg))) {
		rc = process_wait(cfg, rc ? "the configuration cannot be read" :
			     "there is nothing to start: no section has a 'bind' line");
		config_free(&cfg);
		return rc;
	}
	if (args->dump)
		rc |= version_dump_classes(args->dump) < 0;
	if (!rc && args->list_libraries)
		version_libraries(stdout);
	if (!rc && !has_listener(cfg))
		rc = refuse_idle(args->check);
	else if (!rc && !args->check) {
		info_conf.memmax_mb = (unsigned)args->megabytes;
		rc = rights_memory(args->megabytes, &err) < 0 ? fail(&err) :
								process_run(cfg, args);
	} else if (!rc && !load_quiet(cfg, args) && !args->json)
		printf("Configuration file is valid\n");
	config_free(&cfg);
	return rc;
}

/* ---- explain, test ------------------------------------------------------------------------- */

/* What is suspicious in the files is not what was asked for. */
static struct config *load_to_explain(const char *const *paths, unsigned count, void *of)
{
	struct args args = { .paths = { (const char **)(uintptr_t)paths, count }, .quiet = true };
	struct config *cfg;

	(void)of;
	change_kinds = change_kind_list;
	clock_update();
	cfg = config_new(modules, true);
	if (!cfg)
		return NULL;
	cfg->elsewhere = true;
	if (load(cfg, &args) < 0)
		config_free(&cfg);
	return cfg;
}

static void free_explained(struct config *cfg)
{
	config_free(&cfg);
}

static int answer_explain(const struct args *args)
{
	struct explain e = { .words = args->words.items, .count = (unsigned)args->words.count,
			     .load = load_to_explain, .free = free_explained };

	return args->test ? explain_test(&e) : explain_run(&e);
}

static int answer(const struct args *args)
{
	if (args->explain || args->test)
		return answer_explain(args);
	if (args->version) {
		version_print(stdout, args->version > 1);
		return 0;
	}
	if (args->help) {
		args_usage(stdout);
		return 0;
	}
	if (args->help_word)
		return answer_help(args);
	if (args->check_condition)
		return answer_condition(args);
	if (args->dump && !strcmp(args->dump, "help"))
		return version_dump_classes(args->dump) < 0;
	return -1;
}

/* What only answers hears signals as any program. */
static bool will_serve(const struct args *args)
{
	return !args->check && !args->check_condition && !args->explain && !args->test &&
	       !args->version && !args->help && !args->help_word;
}

int main(int argc, char **argv)
{
	struct args args;
	struct err err;
	int rc;

	standard_fill();
	signals_hold();
#ifdef HAVE_OPENSSL
	tls_memory_start();
#endif
	if (argc > 1 && !strcmp(argv[1], "colocate")) {
		signals_release();
		return colocate_command(argc - 2, argv + 2);
	}
	parts_install(proxy_part_list, server_part_list);
	bind_parts_install(bind_part_list);
	exchange_parts_install(exchange_part_list);
	handover_start(argc, argv);
	if (args_parse(&args, argc, argv, &err) < 0) {
		args_free(&args);
		return fail(&err);
	}
	if (!will_serve(&args))
		signals_release();
	rc = answer(&args);
	if (rc < 0 && argc == 1) {
		args_usage(stderr);
		rc = 1;
	}
	if (rc < 0 && args.directory && chdir(args.directory) < 0) {
		err_set(&err, "cannot change to '%s': %s", args.directory, strerror(errno));
		rc = fail(&err);
	}
	memory_debug.how = (memory_debug.how | args.memory) & ~args.memory_off;
	memory_debug.poison = args.poison;
	if (rc < 0 && args.fail_file && memory_fail_file(args.fail_file) < 0) {
		err_set(&err, "cannot map '%s': %s", args.fail_file, strerror(errno));
		rc = fail(&err);
	}
	if (process_self.taken_over) { /* the processes of the first start have been told */
		args.old_count = 0;
		args.old_socket = NULL;
	}
	if (rc < 0)
		rc = run(&args);
	args_free(&args);
	return rc;
}
