#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A flood of wrong passwords, each of which costs crypt(3) its time, is worked off one in a turn of
# the loop: requests without a password, and those whose password is known already, are served in
# between.
. "${0%/*}/../lib.sh"

command -v perl >/dev/null || exit 77
hash=$(perl -e 'print crypt("right", "\$6\$rounds=50000\$saltsalt\$")')
case $hash in
'$6$rounds=50000$'*) ;;
*) exit 77 ;;
esac
config <<END
	maxconn 500
userlist people
	user u password '$hash'
defaults
	mode http
	timeout client 2m
	timeout server 2m
	timeout connect 2m
frontend fe
	bind $front
	http-request auth unless { path /free } or { http_auth(people) }
	http-request return status 200
END
start_penstock
driver "${0%.sh}.py"
check "a flood of passwords" test $? = 0
finish
