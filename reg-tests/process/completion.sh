#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The completion of the command line knows the options and commands of the program, and the words
# that `penstock help` explains; its files are valid for the shells that are there.
. "${0%/*}/../lib.sh"

generate=$srcdir/contrib/completion/generate
for shell in bash zsh fish; do
	sh "$generate" "$PENSTOCK" "$shell" >"$dir/penstock.$shell"
	check "$shell: there is something" test "$(wc -l <"$dir/penstock.$shell")" -gt 10
	! command -v "$shell" >/dev/null || check "$shell takes it" "$shell" -n "$dir/penstock.$shell"
done
check "not for other shells" sh -c "! sh '$generate' '$PENSTOCK' csh 2>/dev/null"

# complete WORD...: what bash offers for the last word.
complete() {
	bash -c '
		source "$0"
		COMP_WORDS=(penstock "$@") COMP_CWORD=$#
		_penstock
		printf "%s\n" "${COMPREPLY[@]}"' "$dir/penstock.bash" "$@"
}
if command -v bash >/dev/null; then
	check "an option" test "$(complete --fo)" = --format
	check "what stands behind it" test "$(complete --format j)" = json
	check "a command" sh -c "case \$1 in *help*) ;; *) exit 1 ;; esac" sh "$(complete he)"
	offers() { # WANTED WORD...
		wanted=$1
		shift
		complete "$@" | grep -qx -e "$wanted" || fail "'$*' does not offer $wanted"
	}
	check "an option of explain" test "$(complete explain --ex)" = --expect
	check "another" test "$(complete explain --server)" = --server-answers
	for option in --from --frontend --format; do offers "$option" explain --f; done
	check "a format of explain" test "$(complete explain --format j)" = json
	check "an option of test" test "$(complete test -)" = -q
	for word in path_beg roundrobin leastconn lower src_conn_rate deny show forwardfor track-sc0 httplog; do
		offers "$word" help "$(printf %.4s "$word")"
	done
	check "a word" test "$(complete help http-requ)" = http-request
	: >"$dir/some.cfg"
	check "a file" test "$(complete -f "$dir/some")" = "$dir/some.cfg"
fi
"$PENSTOCK" -h | sed -n 's/^  \(-[A-Za-z][A-Za-z]*\)[ ,<].*/\1/p' | sort -u >"$dir/options"
check "there are options" test "$(wc -l <"$dir/options")" -gt 20
for option in $(cat "$dir/options"); do
	for shell in bash zsh; do
		grep -q -e "$option[ :]" "$dir/penstock.$shell" || fail "$shell: $option is missing"
	done
done
for option in $("$PENSTOCK" help explain | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
	for shell in bash zsh; do
		grep -q -e "$option[ :]" "$dir/penstock.$shell" || fail "$shell: $option of explain is missing"
	done
	grep -q -e "-l ${option#--} " "$dir/penstock.fish" || fail "fish: $option of explain is missing"
done
finish
