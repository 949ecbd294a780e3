#!/usr/bin/env bash
# The programs the tests drive beside Python: a Chromium for the pages, a PostgreSQL for the records, an OpenID provider
# for signing in. Uses what is on the PATH; installs Debian's packages when run as root; else says how. The provider and
# the checks of accessibility come from npm, each package held to the hash in its lockfile, and no script of one is run.
set -euo pipefail
cd "$(dirname "$0")/.."

for place in tests/trag/web/people/oidc tests/trag/web/axe; do
    cmp -s $place/package-lock.json $place/node_modules/installed.json && continue
    echo "== Installing what the tests have from npm: ${place##*/}"
    .venv/bin/npm ci --prefix $place --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
    cp $place/package-lock.json $place/node_modules/installed.json
done

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
