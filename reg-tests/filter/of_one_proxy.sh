#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Filters of one proxy are nothing to the streams of another, which hears of the same moments for
# its log: none are made for them, so that no memory stays behind.
. "${0%/*}/../lib.sh"

config <<END
defaults
	timeout connect 30s
	timeout client 1m
	timeout server 1m
frontend logs
	mode tcp
	bind $front
	log $dir/log.sock local0
	log-steps accept
	default_backend echo
backend echo
	mode tcp
	server s $back
listen filtered
	mode tcp
	bind unix@$dir/filtered.sock
	filter trace quiet
	server s $back
END
start_penstock
own_driver
finish
