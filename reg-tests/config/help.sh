#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock help knows what is part of the language, but no word of a line: conditions, directives,
# flags, data of stick tables, services, results of checks; and words as they stand in files.
. "${0%/*}/../lib.sh"

# knows WORDS TEXT: the help of the words has the text.
knows() { check "help $1" sh -c '"$1" help $2 2>&1 | grep -qF -- "$3"' sh "$PENSTOCK" "$1" "$2"; }

knows http_req_rate 'store http_req_rate(<period>)'
knows gpc0 'asked by: sc_get_gpc0, src_get_gpc0, table_gpc0'
knows if 'the line holds where the condition does'
knows unless 'where the condition does not'
knows .if 'a directive'
knows feature 'a predicate of .if'
knows '-m beg' 'how an ACL compares'
knows -i 'capital and small letters'
knows prometheus-exporter 'a service'
knows L7STS 'the result of a health check'
knows 'hdr(host)' 'as req.hdr'
knows '%[src,lower]' 'address of the client'
knows PATH_BEG 'path -m beg'
for word in nameserver 'hold valid' resolve_retries accepted_payload_size 'timeout resolve' \
	parse-resolv-conf; do
	knows "$word" 'in:      resolvers'
done
check "no word is without its section" sh -c '! "$1" help timeout | grep -qx "  in:      "' sh "$PENSTOCK"
first() { "$PENSTOCK" help "$1" 2>&1 | grep -m 1 -E "^  in: "; }
check "server: that of backends comes first" eval 'first server | grep -q backend'
meant() { "$PENSTOCK" help "$1" 2>&1 | grep -qF "$2"; }
check "words of other programs: tls" meant tls "did you mean 'ssl'?"
check "words of other programs: upstream" meant upstream "a group of servers is a section 'backend'"
check "what is none stays unknown" sh -c '"$1" help no-such-word 2>&1 | grep -q "unknown word"' sh "$PENSTOCK"
finish
