# SPDX-License-Identifier: BSD-2-Clause
# For early_*.sh, behind lib.sh: a certificate, an origin that shows what it is asked, and the test
# in Python that stands beside the script:
#
#   config <CONFIGURATION     # as usual; "$origin" is the origin's address
#   early_test ADDRESS...     # with early.py and early_lib.py
"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
command -v python3 >/dev/null || exit 77
early_folder=${0%/*}
PYTHONPATH="$early_folder:$PYTHONPATH" python3 -c 'import early' 2>/dev/null || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
origin=127.0.0.1:$(ports 1)

early_test() {
	PYTHONPATH="$early_folder:$PYTHONPATH" timeout 300 python3 "${0%.sh}.py" \
		"$origin" "$dir" "$tool" "$stats" "$@" || fail "early data"
}
