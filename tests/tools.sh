#!/usr/bin/env bash
# The programs the tests drive beside Python: a Chromium for the pages, a PostgreSQL for the records, an OpenID provider
# for signing in. Uses what is on the PATH; installs Debian's packages when run as root; else says how. The provider comes
# from npm, each of its packages held to the hash in its lockfile, and none of their scripts is run.
set -euo pipefail
cd "$(dirname "$0")/.."

provider=tests/trag/web/people/oidc
if ! cmp -s $provider/package-lock.json $provider/node_modules/installed.json; then
    echo "== Installing the OpenID provider for the tests"
    .venv/bin/npm ci --prefix $provider --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
    cp $provider/package-lock.json $provider/node_modules/installed.json
fi

packages=()
command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || packages+=(chromium)
compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null || packages+=(postgresql)
[ ${#packages[@]} -eq 0 ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "== Installing ${packages[*]} for the tests"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
    exit 0
fi
if [ "${packages[*]}" = chromium ]; then
    echo "== Installing Playwright's Chromium for the browser tests"
    .venv/bin/playwright install chromium && exit 0
fi
echo "The tests need: ${packages[*]}. Install them, for example with: sudo apt-get install ${packages[*]}" >&2
exit 1
