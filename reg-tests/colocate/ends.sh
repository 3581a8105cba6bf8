#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock colocate: both ends of a connection pass their data without TCP; ends, resets, bounds and
# unusual readers are as with TCP.
. "${0%/*}/../lib.sh"
. "${0%/*}/lib.sh"
port=$(ports 1)
enable "$port" --ring-kbytes 64
judge is_paired
judge who_polls_and_blocks
for claim in family_v6 is_bounded stops_its_sender the_end_comes_last a_reset_comes \
	a_closed_peer_is_told readers low_water urgent_data who_blocks_later \
	threads_of_one_socket an_older_listener sendfile_works \
	disabled_under_traffic; do
	judge "$claim"
done
finish
