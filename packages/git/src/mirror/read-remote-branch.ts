import type { Layout, RepoRef } from '../base-dir/layout.js';
import type { Door } from '../repository/git-tools.js';
import { checkBranch } from '../run/check-names.js';
import { mustRun } from '../run/run-git.js';
import type { Mirror } from './mirror.js';

export type RemoteBranch = {
  head: string;
  /** The values of the `MergeXO-Turn` trailers of the branch's own commits, newest first. */
  trailers: string[];
};

const FORMAT = '%(trailers:key=MergeXO-Turn,valueonly,unfold)';
// More commits than any run makes; the rest is somebody else's history.
const MAX_COMMITS = 1_000;

export type Reading = {
  door: Door;
  layout: Layout;
  mirror: Mirror;
  repo: RepoRef;
  signal?: AbortSignal | undefined;
};

export async function readRemoteBranch(reading: Reading, branch: string): Promise<RemoteBranch | undefined> {
  const { door, layout, mirror, repo, signal } = reading;
  checkBranch(branch);
  const [head, base] = await mirror.look(signal, (readHead) =>
    Promise.all([readHead(branch), readHead(repo.defaultBranch)]),
  );
  if (head === null) return undefined;
  const range = base === null ? [head] : [head, `^${base}`];
  const { stdout } = await mustRun(door.run, {
    action: `reading the commits of ${branch} in ${layout.label}`,
    args: ['log', `--format=${FORMAT}`, `--max-count=${MAX_COMMITS}`, ...range],
    gitDir: layout.mirror,
    signal,
  });
  return { head, trailers: stdout.toString().split('\n').filter(Boolean) };
}
