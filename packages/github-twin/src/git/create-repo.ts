import fs from 'node:fs/promises';
import path from 'node:path';

// Protection and refusals are decided per push: the server puts them into the environment of receive-pack.
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
    echo "refusing to allow a Personal Access Token to create or update workflow \\\`$file\\\` without \\\`workflow\\\` scope" >&2
    exit 1
  fi
fi
exit 0
`;

const CONFIG: [string, string][] = [
  ['core.repositoryformatversion', '0'],
  ['core.bare', 'true'],
  ['http.receivepack', 'true'],
  // GitHub shows refs/pull/N/head to readers and refuses pushes to it.
  ['receive.hideRefs', 'refs/pull'],
  // Where new commits stand for an instant before their branch has them.
  ['transfer.hideRefs', 'refs/twin'],
  ['receive.autogc', 'false'],
  // Objects of rewritten branches stay readable by sha, and no background process outlives the twin.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.quotePath', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
];

/** Writes the few files that `git init --bare` would write: tests create hundreds of repositories, and a process costs more. */
export async function createBareRepo(dir: string, defaultBranch: string): Promise<void> {
  for (const name of ['objects', 'refs', 'hooks']) await fs.mkdir(path.join(dir, name), { recursive: true });
  await fs.writeFile(
    path.join(dir, 'config'),
    CONFIG.map(([key, value]) => toConfigLines(key, value)).join(''),
  );
  await fs.writeFile(path.join(dir, 'hooks', 'update'), UPDATE_HOOK, { mode: 0o755 });
  // Git takes a directory for a repository once it has a HEAD, so HEAD is written last.
  await fs.writeFile(path.join(dir, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
}

function toConfigLines(key: string, value: string): string {
  const [section, name] = key.split('.');
  return `[${section}]\n\t${name} = ${value}\n`;
}
