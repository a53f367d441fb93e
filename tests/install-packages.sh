#!/bin/sh
# Chromium, Java, WordNet 3.0, PostgreSQL and nginx, which some tests need, or TeX Live with the argument tex: from
# Debian's packages where this runs as root.
set -eu

missing=""
if [ "${1:-}" = tex ]; then
    command -v pdflatex >/dev/null 2>&1 ||
        missing="texlive-latex-base texlive-latex-recommended texlive-fonts-recommended"
else
    command -v chromium-headless-shell >/dev/null 2>&1 || missing="$missing chromium-headless-shell"
    command -v java >/dev/null 2>&1 || missing="$missing default-jre-headless"
    [ -f /usr/share/wordnet/data.noun ] || missing="$missing wordnet-base"
    [ -n "${TEST_DATABASE_URL:-}" ] || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
    [ -x /usr/sbin/nginx ] || missing="$missing nginx"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing$missing from Debian's packages ..."
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing fonts-dejavu-core >/dev/null
else
    echo "Some tests will be skipped for want of:$missing. As root: apt-get install$missing" >&2
fi
