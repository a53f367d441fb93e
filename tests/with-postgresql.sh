#!/bin/sh
# Runs a command with TEST_DATABASE_URL naming an empty PostgreSQL server: the one that it names already,
# or one of Debian's that lives as long as the command, in a folder of its own, as the user "postgres" for root.
set -eu

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    exec "$@"
fi
if [ -z "$bin" ]; then
    echo "Tests on PostgreSQL will be skipped: give TEST_DATABASE_URL, or install Debian's postgresql." >&2
    exec "$@"
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-postgresql.XXXXXX")
as_owner() { "$@"; }
if [ "$(id -u)" = 0 ]; then
    chown postgres "$folder"
    as_owner() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
fi
stop() {
    as_owner "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Tests may lose their data in a power cut, so nothing waits for the disk; nobody but this folder's socket reaches it.
cd "$folder"
as_owner "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
as_owner "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w start -o "-c listen_addresses='' \
    -c unix_socket_directories='$folder' -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
    -c max_connections=200 -c shared_buffers=64MB -c autovacuum=off" >/dev/null
cd "$OLDPWD"
TEST_DATABASE_URL="postgresql://postgres@/postgres?host=$folder" "$@"
