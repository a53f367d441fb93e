#!/bin/sh
# Runs a command with its temporary files in memory, where nothing waits for the disk; as ever where memory has no such
# folder, one too small for all that the tests write, or one whose programs may not run.
set -eu

memory=/dev/shm
needed=2000000 # kB
free=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ ! -w "$memory" ] || [ "${free:-0}" -lt "$needed" ] || findmnt -no OPTIONS "$memory" | grep -q noexec; then
    exec "$@"
fi

folder=$(mktemp -d "$memory/assay-tests.XXXXXX")
chmod 711 "$folder" # the database's own user has a folder inside
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
TMPDIR="$folder" "$@"
