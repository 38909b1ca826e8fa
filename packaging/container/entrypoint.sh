#!/bin/sh
# The entrypoint of the container image. `poller`, `worker` and `dashboard` start a program, `login` logs an agent in, and
# every other word is a command of `mergexo`.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
word=${1:-}

# Names every variable that compose passed without a value. In `inside:outside`, `outside` is its name in .env.
refuse_empty() {
  empty=''
  for pair in "$@"; do
    eval "value=\${${pair%%:*}-unset}"
    [ -n "$value" ] || empty="$empty ${pair##*:}"
  done
  [ -z "$empty" ] && return 0
  echo "mergexo $word: these variables are empty:$empty. Set them in .env and run \`docker compose up\` again." >&2
  exit 1
}

log_in() {
  agent=${1:-}
  if [ -z "$agent" ]; then
    for name in codex claude; do
      command -v "$name" >/dev/null && agent="$agent$name"
    done
  else
    shift
  fi
  case "$agent" in
    codex) exec codex login --device-auth "$@" ;;
    claude) exec claude auth login "$@" ;;
    '') echo 'mergexo login: this image contains no agent. Use an image with agents, or build one with AGENTS.' >&2 ;;
    *) echo 'mergexo login: add the agent to log in: `login codex` or `login claude`.' >&2 ;;
  esac
  exit 2
}

case "$word" in
  poller) refuse_empty MERGEXO_REDIS_PASSWORD MERGEXO_SECRET GITHUB_TOKEN ;;
  worker) refuse_empty MERGEXO_REDIS_PASSWORD MERGEXO_WORKER_KEY GITHUB_TOKEN:WORKER_GITHUB_TOKEN ;;
  dashboard) refuse_empty MERGEXO_REDIS_PASSWORD MERGEXO_SECRET MERGEXO_DASHBOARD_PASSWORD ;;
esac
case "$word" in
  poller | worker | dashboard)
    shift
    exec node --max-semi-space-size=2 "$root/apps/$word/dist/main.js" "$@"
    ;;
  login)
    shift
    log_in "$@"
    ;;
  *) exec node "$root/apps/cli/bin/mergexo.js" "$@" ;;
esac
