import {
  buildTurnEvent,
  Failure,
  FeedbackContext,
  hasLabel,
  isCarried,
  type LedgerAnswer,
  StartContext,
  type Turn,
} from '@mergexo/core';
import type { Pull, Run } from '@mergexo/state';
import { readAgentLimit } from './agent-limits.js';
import { findStaleFailures } from './ci/find-stale-failures.js';
import { blockPullOf, describeRewrite } from './feedback/block-pull.js';
import { checkHead } from './feedback/check-head.js';
import { closePull } from './feedback/close-pull.js';
import { endTurn } from './feedback/end-turn.js';
import { type ListTools, listPull } from './feedback/list-pull.js';
import { isIgnored } from './feedback/takeover.js';
import { abandonStart, describeAbandonment, findAbandonment } from './followup/abandon-start.js';
import { findCheckpoint } from './followup/find-checkpoint.js';
import { recordEvents } from './record-events.js';
import type { Repo } from './repo.js';
import { refreshFix } from './review/refresh-fix.js';
import { refreshReview } from './review/refresh-review.js';
import { leaveBranch } from './settle-turns.js';

export type RefreshTools = ListTools & { repos: () => readonly Repo[]; windowMs: number };

/** `fresh`: begin may go on. Anything else is the answer to the worker. */
export type Refreshed = { kind: 'fresh' } | Extract<LedgerAnswer, { kind: 'retry-later' | 'refused' }>;

const REFRESH_LIMIT_MS = 10_000;
/** So many turns look at GitHub at once; other messages of the ledger never wait for them. */
const LANES = 2;
const LATER_MS = 2_000;
/** A limit may be lifted before its time. */
const LONGEST_WAIT_MS = 300_000;

/** Looks at GitHub once more before an agent is asked: the world may have moved since the turn was opened. */
export function createRefresh(tools: () => RefreshTools | undefined): (turn: Turn) => Promise<Refreshed> {
  /** A look that takes longer than a worker waits goes on, and the next asking joins it. */
  const looks = new Map<string, Promise<Refreshed>>();
  return async (turn) => {
    // A turn of no run has nothing on GitHub to look at.
    if (turn.runId === null) return { kind: 'fresh' };
    const ready = tools();
    if (ready === undefined) return later('GitHub has not been reached yet');
    const repo = ready.repos().find(({ id }) => id === turn.repoId);
    if (repo === undefined) return later('the repository has not been reached yet');
    const { agent, reviewAgent } = repo.config;
    const limit = readAgentLimit(ready, (turn.kind === 'review' ? reviewAgent : agent).adapter);
    if (limit !== undefined && turn.planDigest === null)
      return later(`the agent's provider asks to wait: ${limit.reason}`, Math.min(limit.ms, LONGEST_WAIT_MS));
    const { turnKey } = turn;
    const begun = looks.get(turnKey);
    if (begun === undefined && looks.size >= LANES) return later('other turns look at GitHub just now');
    const look = begun ?? refreshTurn(ready, repo, turn);
    if (begun === undefined) {
      const forget = (): void => void looks.delete(turnKey);
      looks.set(turnKey, look);
      look.then(forget, forget);
    }
    try {
      return await within(look, REFRESH_LIMIT_MS);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return later(error.message.slice(0, 500), error.retryAfterMs);
    }
  };
}

async function refreshTurn(tools: RefreshTools, repo: Repo, turn: Turn): Promise<Refreshed> {
  const run = turn.runId === null ? undefined : tools.state.readRun(turn.runId);
  if (run === undefined) return { kind: 'fresh' };
  if (turn.prNumber === null) return refreshStart(tools, repo, turn, run);
  const pull = tools.state.readPull(repo.id, turn.prNumber);
  if (pull === undefined) return { kind: 'fresh' };
  switch (turn.kind) {
    case 'review':
      return refreshReview(tools, repo, turn, pull);
    case 'review_fix':
      return refreshFix(tools, repo, turn, pull);
    default:
      return refreshFeedback(tools, repo, turn, pull);
  }
}

async function refreshStart(tools: RefreshTools, repo: Repo, turn: Turn, run: Run): Promise<Refreshed> {
  const { state, github } = tools;
  const { fullName, labels } = repo.config;
  const abandonment = findAbandonment(await github.fetchIssue(fullName, run.issueNumber), labels.ignore);
  if (abandonment === undefined) return refreshCheckpoint(tools, repo, turn, run);
  state.transaction(() => {
    const now = state.readTurn(turn.turnKey);
    const known = state.readRun(run.id);
    if (now === undefined || known === undefined || !isUnmoved(now, turn)) return;
    abandonStart(tools, known, abandonment);
  });
  return { kind: 'refused', reason: describeAbandonment(abandonment) };
}

/** Somebody may have pushed onto the checkpoint since the turn was opened. */
async function refreshCheckpoint(tools: RefreshTools, repo: Repo, turn: Turn, run: Run): Promise<Refreshed> {
  const { state } = tools;
  const { followup } = StartContext.parse(state.readTurnContext(turn.turnKey));
  if (followup === null || followup.checkpoint === null || turn.planDigest !== null) return { kind: 'fresh' };
  const found = await findCheckpoint(tools, repo, run);
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    if (now === undefined || !isUnmoved(now, turn)) return later('the turn moved on meanwhile');
    if (found.kind === 'diverged') {
      endTurn(tools, now, 'cancelled', 'the branch of the checkpoint went another way');
      leaveBranch(tools, state.readRun(run.id) ?? run);
      return { kind: 'refused', reason: 'the branch went another way' };
    }
    const context = StartContext.parse(state.readTurnContext(turn.turnKey));
    const { checkpoint } = found;
    state.saveTurnContext(turn.turnKey, { ...context, followup: { ...followup, checkpoint } });
    return { kind: 'fresh' };
  });
}

async function refreshFeedback(tools: RefreshTools, repo: Repo, turn: Turn, seen: Pull): Promise<Refreshed> {
  const { state } = tools;
  const { prNumber } = seen;
  const { fullName, labels } = repo.config;
  const { pull: details, issue } = await listPull(tools, repo, seen);
  const { headSha, status } = details;
  const { lineage, expectedSha } = await checkHead(tools, fullName, seen, headSha);
  if (lineage === 'unclear') return later('the head that GitHub shows is older than the one we know');
  const stale = await findStaleFailures(tools, repo, { pull: seen, turnKey: turn.turnKey, headSha });

  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    const pull = state.readPull(repo.id, prNumber);
    if (now === undefined || pull === undefined) return { kind: 'fresh' };
    if (!isUnmoved(now, turn)) return later('the turn moved on meanwhile');
    const stop = (reason: string): Refreshed => {
      endTurn(tools, now, 'cancelled', reason);
      return { kind: 'refused', reason };
    };
    if (status !== 'open') {
      closePull(tools, pull.repoId, pull.prNumber, status);
      return { kind: 'refused', reason: `the pull request was ${status}` };
    }
    if (hasLabel(issue.labels, labels.ignore) || isIgnored(pull)) return stop('a person took it over');
    if (lineage === 'rewritten') {
      blockPullOf(tools, now, describeRewrite(expectedSha, headSha));
      return { kind: 'refused', reason: 'the history was rewritten' };
    }
    if (now.planDigest !== null) return { kind: 'fresh' };
    for (const { event, reason } of stale) {
      state.markEventProcessed(event, tools.now(), reason);
      recordEvents(tools, [buildTurnEvent('ci_dropped', now, { run_id: event.commentId, reason })]);
    }
    const context = FeedbackContext.parse(state.readTurnContext(turn.turnKey));
    const left = new Set(
      state
        .listEventsOfFeedbackTurn(turn.turnKey)
        .filter(({ processedAt }) => processedAt === null)
        .map(({ eventKey }) => eventKey),
    );
    const events = context.events.filter(({ key }) => left.has(key));
    if (events.length === 0)
      return stop(
        stale.length > 0 ? 'no check fails any more' : 'every comment that it was to answer was deleted',
      );
    const signals: FeedbackContext['signals'] = [
      ...(details.mergeable === false ? (['merge_conflict'] as const) : []),
      ...(details.mergeableState === 'behind' ? (['base_moved'] as const) : []),
    ];
    state.saveTurnContext(turn.turnKey, { ...context, headSha, events, signals });
    return { kind: 'fresh' };
  });
}

/** Another attempt may have begun, or the turn may have ended, while we looked. */
export function isUnmoved(now: Turn, then: Turn): boolean {
  return isCarried(now) && now.epoch === then.epoch && now.begins.length === then.begins.length;
}

export function later(reason: string, delayMs = LATER_MS): Refreshed {
  return { kind: 'retry-later', delayMs: Math.max(LATER_MS, Math.ceil(delayMs)), reason };
}

export async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Failure('timed-out', 'GitHub is slow; the turn begins later.')),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
