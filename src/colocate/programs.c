/* SPDX-License-Identifier: BSD-2-Clause */
/* The set of colocate/: its maps, and the two programs (pair.c, pass.c) that share them. */
#include "colocate/programs.h"

#include "colocate/pair.h"
#include "colocate/pass.h"
#include "net/bpf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

const char *const colocate_map_names[COLOCATE_MAPS] = { "settings", "totals", "ends", "flows",
							"sockets" };

static int maps_create(int *maps, unsigned ends)
{
	int i;

	maps[COLOCATE_MAP_SETTINGS] = bpf_map_create("psk_settings", BPF_MAP_TYPE_ARRAY, 4,
						     sizeof(struct colocate_settings), 1, 0);
	maps[COLOCATE_MAP_TOTALS] = bpf_map_create("psk_totals", BPF_MAP_TYPE_ARRAY, 4,
						   sizeof(struct colocate_totals), 1, 0);
	maps[COLOCATE_MAP_ENDS] = bpf_map_create("psk_ends", BPF_MAP_TYPE_HASH,
						 sizeof(struct colocate_key),
						 sizeof(struct colocate_end), ends,
						 BPF_F_NO_PREALLOC);
	maps[COLOCATE_MAP_FLOWS] = bpf_map_create("psk_flows", BPF_MAP_TYPE_HASH, 8,
						  sizeof(struct colocate_flow), ends,
						  BPF_F_NO_PREALLOC);
	maps[COLOCATE_MAP_SOCKETS] = bpf_map_create("psk_sockets", BPF_MAP_TYPE_SOCKHASH, 8, 8,
						    ends, 0);
	for (i = 0; i < COLOCATE_MAPS; i++)
		if (maps[i] < 0)
			return -1;
	return 0;
}

int colocate_set_make(struct colocate_set *set, const struct colocate_kernel *kernel,
		      unsigned connections, struct err *err)
{
	static char said[1 << 16];
	const struct bpf_log log = { said, sizeof(said) };
	int saved;

	memset(set, -1, sizeof(*set));
	said[0] = 0;
	if (!maps_create(set->maps, 2 * connections) &&
	    (set->pair = colocate_pair_load(set->maps, &log)) >= 0 &&
	    (set->pass = colocate_pass_load(kernel, set->maps, &log)) >= 0 &&
	    !bpf_map_attach(set->maps[COLOCATE_MAP_SOCKETS], set->pass, BPF_SK_MSG_VERDICT))
		return 0;
	saved = errno;
	colocate_set_close(set);
	if (saved == EPERM)
		return err_set(err, "the rights are missing (CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN)");
	return err_set(err, "this kernel does not take the programs: %s%s%s", strerror(saved),
		       said[0] ? "; " : "", said + (strlen(said) > 300 ? strlen(said) - 300 : 0));
}

void colocate_set_close(struct colocate_set *set)
{
	int i;

	for (i = 0; i < COLOCATE_MAPS; i++)
		if (set->maps[i] >= 0)
			close(set->maps[i]);
	if (set->pair >= 0)
		close(set->pair);
	if (set->pass >= 0)
		close(set->pass);
	memset(set, -1, sizeof(*set));
}
