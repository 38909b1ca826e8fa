import type { Meta } from '@mergexo/core/outbox';
import { parseRunName } from '@mergexo/core/runs';
import type { PullRequest } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { rebuildPull } from './rebuild-pull.js';
import { fetchPulls, isOwn, listOwnPulls, type Proof, readFooter } from './rebuild-repo.js';

/**
 * Finds the pull request of a run before a turn starts, and adopts it. If the database was restored from a copy that
 * lacks the pull request, the turn would open a second one.
 */
export async function adoptOwnPull(tools: ListTools, repo: Repo, run: Run): Promise<PullRequest | undefined> {
  const { state, github } = tools;
  const turnKeys = state.listTurnsOfRun(run.id).map(({ turnKey }) => turnKey);
  for (const branch of listBranches(state, run, turnKeys)) {
    const pulls = (await github.fetchPullsOfBranch(repo.config.fullName, branch)).filter((pull) =>
      isOwn(tools, repo, pull),
    );
    const proofs = pulls.map((pull) => ({ pull, meta: readFooter(tools, repo, pull) }));
    const found = proofs.find(
      ({ pull, meta }) =>
        isOfRun(meta, run) && (pull.status === 'open' || turnKeys.includes(meta?.turn ?? '')),
    );
    if (found !== undefined && (await adopt(tools, repo, found))) return found.pull;
  }
  return undefined;
}

/** Adopts pull requests whose runs are missing from an outdated database. */
export async function catchUp(tools: ListTools, repo: Repo): Promise<void> {
  const { state } = tools;
  const [task] = state.listPendingTasks(repo.id, 'catch_up');
  if (task === undefined) return;
  const { fullName } = repo.config;
  tools.log.warn(
    { repo: fullName },
    'the database is older than the posts on GitHub; MergeXO reads the missing pull requests',
  );
  for (const proof of listOwnPulls(tools, repo, await fetchPulls(tools, repo)))
    if (proof.pull.status === 'open') await adopt(tools, repo, proof);
  state.transaction(() => state.deleteTask(task));
}

async function adopt(tools: ListTools, repo: Repo, { pull, meta }: Proof): Promise<boolean> {
  const { state } = tools;
  const name = parseRunName(meta?.run ?? '');
  if (name === undefined || state.readPull(repo.id, pull.number) !== undefined) return false;
  // The outbox records the pull requests that it opens.
  if (isBeingOpened(state, repo, pull)) return false;
  await rebuildPull(tools, repo, { pull, meta, name });
  return state.readPull(repo.id, pull.number) !== undefined;
}

function isBeingOpened(state: State, repo: Repo, { headRef }: PullRequest): boolean {
  return state
    .listUnsettledActions()
    .some(
      ({ repoId, kind, target, state: action }) =>
        repoId === repo.id && kind === 'open_pull' && action === 'sending' && target === `branch:${headRef}`,
    );
}

function isOfRun(meta: Meta | undefined, run: Run): boolean {
  const name = parseRunName(meta?.run ?? '');
  return name?.issueNumber === run.issueNumber && name.flow === run.flow;
}

/** Returns the current branch of the run and its earlier branches. */
function listBranches(state: State, run: Run, turnKeys: readonly string[]): ReadonlySet<string> {
  const left = turnKeys.flatMap((turnKey) => state.readPlan(turnKey)?.plan.commit?.branch ?? []);
  return new Set([...(run.branch === null ? [] : [run.branch]), ...left]);
}
