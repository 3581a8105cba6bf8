# SPDX-License-Identifier: BSD-2-Clause
"""Which words of the 2.6 manual penstock does not know: the lists of all words (include/*/known_*.def)
against what "penstock -dK" says it has, and both against missing.txt, which says for each that is
missing what it waits for, and against what README.md says of it. Usage: missing.py SRCDIR DUMP"""
import re
import sys

srcdir, dump = sys.argv[1:]
SECTIONS = {"SCOPE_GLOBAL": ["global"], "SCOPE_FRONTEND": ["frontend"], "SCOPE_BACKEND": ["backend"],
	    "SCOPE_FRONT": ["frontend"], "SCOPE_BACK": ["backend"], "SCOPE_PROXY": ["frontend", "backend"],
	    "SCOPE_DEFAULTS": ["defaults"], "SCOPE_RING": ["ring"], "SCOPE_BIND": ["frontend"],
	    "SCOPE_SERVER": ["backend"], "SCOPE_STATS": ["global"]}
IN_FRONT = {"SCOPE_BIND": "bind <address> ", "SCOPE_SERVER": "server <name> <address> ",
	    "SCOPE_STATS": "stats socket <address> "}


# Words that have another row: how it begins.
OTHERWISE = {"http-check set-var": "http-check", "http-check unset-var": "http-check", "tcp-check set-var": "tcp-check",
	     "tcp-check unset-var": "tcp-check", "persist rdp-cookie": "persist", "usesrc": "source"}


def dumped():
	"""What is there: for each heading of the dump its lines."""
	found, heading = {}, None
	for line in open(dump, encoding="utf-8"):
		if not line.startswith("\t"):
			heading = line.strip()
			found.setdefault(heading, [])
		else:
			found[heading].append(line.strip())
	return found


def listed(name, macro):
	"""The rows of a list of words: scope or None, word."""
	text = open(f"{srcdir}/include/{name}.def", encoding="utf-8").read()
	for row in re.finditer(rf'^{macro}\((?:(\w+(?: \| \w+)*), )?"([^"]+)"', text, re.M):
		yield row[1], row[2]


def begins(lines, word):
	return any(re.match(re.escape(word) + r"(?![-\w.])", line) for line in lines)


def keyword_there(there, scope, word):
	if word in OTHERWISE:
		return begins(there["backend"], OTHERWISE[word])
	if word == "log-proto": # of the servers of a ring
		return any("[log-proto" in line for line in there["ring"])
	for one in scope.split(" | "):
		for section in SECTIONS.get(one, []):
			if begins(there.get(section, []), IN_FRONT.get(one, "") + word):
				return True
	return False


def missing(there):
	for scope, word in listed("config/known_words", "KNOWN(?:_TLS)?"):
		if not keyword_there(there, scope, word):
			place = IN_FRONT.get(scope, "global " if scope == "SCOPE_GLOBAL" else "").split(" ")[0]
			yield f"{place} {word}".strip()
	for _, word in listed("config/known_sections", "KNOWN_SECTION"):
		if word not in there:
			yield f"section {word}"
	for kind, name, macro, heading in (
		("fetch", "expr/known_fetches", "KNOWN_FETCH", "# sample fetches"),
		("converter", "expr/known_converters", "KNOWN_CONVERTER", "# converters: from and to"),
		("acl", "expr/known_acls", "KNOWN_ACL", "# words of ACLs, and predefined ACLs")):
		for _, word in listed(name, macro):
			if not begins(there[heading], word):
				yield f"{kind} {word}"


def expected():
	"""missing.txt: a capability in brackets, then words, one a line."""
	words, capability = {}, None
	for line in open(f"{srcdir}/reg-tests/config/missing.txt", encoding="utf-8"):
		line = line.strip()
		if line.startswith("["):
			capability = line[1:-1]
		elif line and not line.startswith("#"):
			if line in words:
				print(f"FAILED  {line} is listed twice")
			words[line] = capability
	return words


def claims(gone, wanted):
	"""What is wrong with the sentence of README.md that says what is not there: each word in it names
	something that is missing, and each section, filter and capability that is missing has its word."""
	text = open(f"{srcdir}/README.md", encoding="utf-8").read()
	sentence = re.search(r"Not there are (.*?)\. ", text.replace("\n", " "))
	if not sentence:
		return ["README.md does not say what is not there"]
	said = [word.rstrip("4@") for word in re.findall(r"`([^`]+)`", sentence[1])]
	known = open(f"{srcdir}/src/filter/filter_words.c", encoding="utf-8").read()
	filters = re.findall(r'"([^"]+)"', re.search(r"known\[\] = \{(.*?)NULL", known)[1])
	parts = {word: set(re.split(r"[ .-]", word)) | set(word.split()) for word in gone}
	parts.update({"filter " + name: {name} for name in filters})
	bad = [f"README.md: {word} is there" for word in said if not any(word in p for p in parts.values())]
	bad += [f"README.md does not say that {word} is missing" for word, p in parts.items()
		if word.startswith(("section ", "filter ")) and not p & set(said)]
	for capability in sorted(set(wanted.values())):
		if not any(parts[word] & set(said) for word in gone if wanted.get(word) == capability):
			bad.append(f"README.md does not say that {capability} is missing")
	return bad


def main():
	gone, wanted = set(missing(dumped())), expected()
	for word in sorted(gone):
		print(f"missing {word}: {wanted.get(word, 'NO CAPABILITY')}")
	bad = [f"{word} is missing, and no capability to come is its reason" for word in sorted(gone - set(wanted))]
	bad += [f"{word} is there, but still listed as missing" for word in sorted(set(wanted) - gone)]
	bad += claims(gone, wanted)
	for line in bad:
		print("FAILED ", line)
	print(f"{'FAILED ' if bad else 'ok     '} {len(gone)} words are missing")
	sys.exit(bool(bad))


main()
