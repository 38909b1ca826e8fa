import { decideLineage, type Lineage } from '@mergexo/core/feedback';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { HeadCheck } from '../lifecycle/admit.js';
import type { Block } from '../lifecycle/block-pull.js';

type Tools = {
  state: State;
  github: Pick<GitHub, 'compareCommits' | 'fetchPull' | 'hasCommit'>;
  now: () => number;
  windowMs: number;
};

type Heads = { fullName: string; expectedSha: string; observedSha: string };

/**
 * A commit missing this long counts as lost. GitHub can return 404 for a valid commit for several minutes.
 */
const MISSING_MS = 600_000;

/**
 * Checks that the last accepted head is an ancestor of GitHub's current head. A rewrite stops all work on the pull
 * request, so it is reported only if both commits are readable and a second response agrees.
 */
export async function checkHead(
  tools: Tools,
  fullName: string,
  {
    pull,
    observedSha,
  }: { pull: Pick<Pull, 'repoId' | 'prNumber' | 'acceptedHeadSha' | 'acceptedAt'>; observedSha: string },
): Promise<HeadCheck> {
  const { acceptedHeadSha: expectedSha, acceptedAt } = pull;
  if (expectedSha === null || expectedSha === observedSha) return { kind: 'grown' };
  const heads = { fullName, expectedSha, observedSha };
  const age = { sinceAcceptedMs: tools.now() - (acceptedAt ?? 0), windowMs: tools.windowMs };
  const compare = async (): Promise<Lineage | null> => {
    const comparison = await tools.github.compareCommits(fullName, expectedSha, observedSha);
    return comparison && decideLineage(comparison.status, age);
  };
  const lineage = await compare();
  if (lineage === null) return findMissing(tools, pull, heads);
  forgetMissing(tools, pull, expectedSha);
  if (lineage !== 'rewritten') return { kind: lineage };
  const isConfirmed =
    (await tools.github.fetchPull(fullName, pull.prNumber)).headSha === observedSha &&
    (await isReadable(tools, heads)) &&
    (await compare()) === 'rewritten';
  return isConfirmed ? { kind: 'blocked', block: describeRewrite(heads) } : { kind: 'unclear' };
}

/**
 * Checks the head at the end of a turn: it must contain the head at which the turn started, and the turn's commit. A
 * compromised worker may name a commit without the earlier history.
 */
export async function checkTurnHead(
  tools: Tools,
  fullName: string,
  {
    pull,
    observedSha,
    startSha,
    commitSha,
  }: { pull: Pull; observedSha: string; startSha: string | null; commitSha: string | undefined },
): Promise<HeadCheck> {
  const check = (acceptedHeadSha: string | null) =>
    checkHead(tools, fullName, { pull: { ...pull, acceptedHeadSha }, observedSha });
  const committed = commitSha === undefined ? undefined : await check(commitSha);
  return committed === undefined || committed.kind === 'grown' ? check(startSha) : committed;
}

async function isReadable(
  { github }: Tools,
  { fullName, expectedSha, observedSha }: Heads,
): Promise<boolean> {
  return (await github.hasCommit(fullName, expectedSha)) && (await github.hasCommit(fullName, observedSha));
}

/**
 * Blocks if the accepted head has been missing for a long time, because otherwise the work would wait without a
 * notice.
 */
async function findMissing(
  tools: Tools,
  pull: Pick<Pull, 'repoId' | 'prNumber'>,
  heads: Heads,
): Promise<HeadCheck> {
  const { state, github, now } = tools;
  const { repoId, prNumber } = pull;
  const { fullName, expectedSha, observedSha } = heads;
  const isMissing =
    !(await github.hasCommit(fullName, expectedSha)) && (await github.hasCommit(fullName, observedSha));
  if (!isMissing) {
    forgetMissing(tools, pull, expectedSha);
    return { kind: 'unclear' };
  }
  const watch = state.readPullWatch(repoId, prNumber);
  const since = watch?.missingHeadSha === expectedSha ? watch.missingHeadSince : null;
  if (since !== null && now() - since >= MISSING_MS)
    return { kind: 'blocked', block: describeMissing(heads) };
  // If the clock was set back, the wait restarts, because blocking too early would be worse.
  if (since === null || now() < since) {
    const missing = { missingHeadSha: expectedSha, missingHeadSince: now() };
    state.transaction(() => state.savePullWatch(repoId, prNumber, missing));
  }
  return { kind: 'unclear' };
}

/** Keeps the record of another head: the end of a turn checks two heads. */
function forgetMissing(
  { state }: Tools,
  { repoId, prNumber }: Pick<Pull, 'repoId' | 'prNumber'>,
  expectedSha: string,
): void {
  if (state.readPullWatch(repoId, prNumber)?.missingHeadSha !== expectedSha) return;
  const none = { missingHeadSha: null, missingHeadSince: null };
  state.transaction(() => state.savePullWatch(repoId, prNumber, none));
}

function describeRewrite({ expectedSha, observedSha }: Heads): Block {
  return {
    kind: 'history_rewritten',
    reason:
      'The history of this branch was rewritten: the last accepted head is not an ancestor of the current one.',
    expectedSha,
    observedSha,
  };
}

function describeMissing({ expectedSha, observedSha }: Heads): Block {
  return {
    kind: 'head_missing',
    reason: 'GitHub no longer shows the last accepted head of this branch, so its history cannot be checked.',
    expectedSha,
    observedSha,
  };
}
