import { isWithin } from '@mergexo/core/basics';
import type { Checkpoint } from '@mergexo/core/turns';
import type { GitHub } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import type { Repo } from '../tools.js';

type Tools = {
  state: State;
  github: Pick<GitHub, 'fetchBranchHead' | 'compareCommits'>;
  now: () => number;
  /** How long GitHub may still return the state from before our push. */
  windowMs: number;
};

/** `diverged`: somebody else rewrote the branch. */
export type FoundCheckpoint = { kind: 'found'; checkpoint: Checkpoint | null } | { kind: 'diverged' };

/** Finds the commit from which work without a pull request continues: our last push, plus commits that others added. */
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
  // GitHub may not know the commit yet, or may still return the old head.
  if (compared === null || isYoung) return { kind: 'found', checkpoint: known };
  return { kind: 'diverged' };
}

/** Returns the commits that turns of this run made on its current branch. */
function listPushed(state: State, run: Run): ReadonlySet<string> {
  return new Set(
    state.listTurnsOfRun(run.id).flatMap(({ turnKey, prNumber }) => {
      const commit = prNumber === null ? state.readPlan(turnKey)?.plan.commit : undefined;
      return commit?.branch === run.branch ? [commit.sha] : [];
    }),
  );
}
