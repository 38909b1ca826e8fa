import fs from 'node:fs/promises';
import path from 'node:path';
import { findMemoryRepo } from './memory/memory-repos.js';
import { runGit } from './run-git.js';

// For each push, the server decides which refs to protect or reject, and sets environment variables for the hook.
const UPDATE_HOOK = `#!/bin/sh
if [ -n "$TWIN_REFUSE" ]; then
  echo "error: $TWIN_REFUSE" >&2
  exit 1
fi
case " $TWIN_PROTECTED " in
  *" $1 "*)
    echo "error: GH006: Protected branch update failed for $1." >&2
    echo "error: Changes must be made through a pull request." >&2
    exit 1
    ;;
esac
if [ -n "$TWIN_NO_WORKFLOWS" ] && [ "$3" != 0000000000000000000000000000000000000000 ]; then
  file=$(git log --format= --name-only "$3" --not --all -- .github/workflows | head -n 1)
  if [ -n "$file" ]; then
    echo "refusing to allow a \${TWIN_NO_WORKFLOWS%%|*} to create or update workflow \\\`$file\\\` without \${TWIN_NO_WORKFLOWS#*|}" >&2
    exit 1
  fi
fi
exit 0
`;

const CONFIG = `[http]
  receivepack = true
[receive]
  # GitHub shows refs/pull/N/head to readers and refuses pushes to it.
  hideRefs = refs/pull
  autogc = false
[transfer]
  # New commits have a ref here until their branch points to them.
  hideRefs = refs/twin
[gc]
  # Objects of rewritten branches stay readable by sha, and no background process outlives the twin.
  auto = 0
[maintenance]
  auto = false
[core]
  quotePath = false
  logAllRefUpdates = false
[uploadpack]
  allowAnySHA1InWant = true
`;

export async function createBareRepo(dir: string, defaultBranch: string): Promise<void> {
  if (findMemoryRepo(dir) !== undefined) return;
  await fs.mkdir(path.join(dir, 'hooks'), { recursive: true });
  await runGit(dir, ['init', '-q', '--bare', '--template=', `--initial-branch=${defaultBranch}`]);
  await fs.appendFile(path.join(dir, 'config'), CONFIG);
  await fs.writeFile(path.join(dir, 'hooks', 'update'), UPDATE_HOOK, { mode: 0o755 });
}
