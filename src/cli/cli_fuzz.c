/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes, in pieces of any size, at any level, to a conversation with all commands, on a
 * world made by hand. First byte: level and whether the peer ends its input; second: size of
 * the pieces.
 */
#include "cli/cli.h"
#include "stats/test_world.h"
#include "log/log.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char out[CLI_OUTPUT_MIN];
	struct world *world;
	struct cli *cli;
	size_t piece, taken, said = 0, n;

	if (len < 2)
		return 0;
	log_to_stderr = false;
	world = world_new();
	cli = cli_new(LEVEL_USER + data[0] % 3, data[0] / 3 % 3);
	if (!cli)
		abort();
	piece = (size_t)data[1] + 1;
	for (data += 2, len -= 2; len && !cli_done(cli); data += taken, len -= taken) {
		taken = cli_input(cli, (const char *)data, len < piece ? len : piece);
		while (said < 1 << 20 && (n = cli_output(cli, out, sizeof(out))))
			said += n;
		if (!taken || said >= 1 << 20)
			break;
	}
	cli_input_end(cli);
	while (said < 1 << 20 && (n = cli_output(cli, out, sizeof(out))))
		said += n;
	cli_free(&cli);
	world_free(&world);
	return 0;
}
