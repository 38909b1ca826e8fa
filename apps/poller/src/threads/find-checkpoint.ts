import { isWithin } from '@mergexo/core/basics';
import type { Checkpoint } from '@mergexo/core/turns';
import type { GitHub } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import type { Repo } from '../tools.js';

type Tools = {
  state: State;
  github: Pick<GitHub, 'fetchBranchHead' | 'compareCommits'>;
  now: () => number;
  /** For so long GitHub may show what was before our push. */
  windowMs: number;
};

/** `diverged`: the branch went another way and is somebody else's now. */
export type FoundCheckpoint = { kind: 'found'; checkpoint: Checkpoint | null } | { kind: 'diverged' };

/** Where work without a pull request goes on: on what we pushed, and on what others added to it. */
export async function findCheckpoint(tools: Tools, repo: Repo, run: Run): Promise<FoundCheckpoint> {
  const { state, github, now, windowMs } = tools;
  const followup = state.readFollowup(repo.id, run.issueNumber);
  const pushed = listPushed(state, run);
  const known = followup?.context.checkpoint?.branch === run.branch ? followup.context.checkpoint : null;
  if (known === null && pushed.size === 0) return { kind: 'found', checkpoint: null };
  const branch = known?.branch ?? run.branch ?? '';
  const { fullName } = repo.config;
  const head = await github.fetchBranchHead(fullName, branch);
  if (head !== null && (head === known?.sha || pushed.has(head)))
    return { kind: 'found', checkpoint: { branch, sha: head } };
  if (known === null) return { kind: 'found', checkpoint: null };
  const isYoung = followup !== undefined && isWithin(windowMs, followup.updatedAt, now());
  if (head === null) return { kind: 'found', checkpoint: isYoung ? known : null };
  const compared = await github.compareCommits(fullName, known.sha, head);
  if (compared?.status === 'ahead') return { kind: 'found', checkpoint: { branch, sha: head } };
  // What GitHub cannot compare yet, or still shows as it was, is looked at again.
  if (compared === null || isYoung) return { kind: 'found', checkpoint: known };
  return { kind: 'diverged' };
}

/** Commits that turns of this run made: one of them at the head of its branch is ours to go on from. */
function listPushed(state: State, run: Run): ReadonlySet<string> {
  return new Set(
    state.listTurnsOfRun(run.id).flatMap(({ turnKey, prNumber }) => {
      const commit = prNumber === null ? state.readPlan(turnKey)?.plan.commit : undefined;
      return commit?.branch === run.branch ? [commit.sha] : [];
    }),
  );
}
