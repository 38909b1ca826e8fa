import type { Config } from '@mergexo/config';
import { type Action, describeAction } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import { isReadyToAnswer, type ReviewState } from '@mergexo/core/feedback';
import { FLOW_TRAITS } from '@mergexo/core/flows';
import { findCap } from '@mergexo/core/runs';
import {
  buildFeedbackContext,
  computeTurnKey,
  type FeedbackContext,
  MAX_EVENTS,
  openTurn,
  type Plan,
  type Turn,
  traitsOf,
} from '@mergexo/core/turns';
import type { FeedbackEvent, Pull, Run, Session } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { admit } from '../lifecycle/admit.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { isIgnored, noteTakeovers } from '../lifecycle/takeover.js';
import { recordTurn } from '../lifecycle/turn.js';
import { asksForUpdate } from '../threads/ask-for-update.js';
import { checkHead } from '../threads/check-head.js';
import { dropDistrusted } from '../threads/drop-distrusted.js';
import { type ListTools, listPull, type Snapshot } from '../threads/list-pull.js';
import { selectTrusted } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';
import { describePull } from './describe-pull.js';

export type OpenFeedbackTools = ListTools & {
  limits: Config['limits'];
  debounceMs: number;
  windowMs: number;
};

/** One turn per pull request that has something new to answer. One that cannot be read holds up no other. */
export async function openFeedbackTurns(tools: OpenFeedbackTools, repo: Repo): Promise<void> {
  if (!repo.config.enableFeedbackLoop) return;
  for (const pull of tools.state.listWatchedPulls(repo.id).filter((other) => isReady(tools, other))) {
    await skipUnreadable(
      tools.log,
      { message: 'an answer waits for its pull request', pr_number: pull.prNumber },
      () => openFeedbackTurn(tools, repo, pull),
    );
  }
}

/** What was sent and is not decided yet must be decided first: its events are neither pending nor answered. */
function isReady({ state, now, debounceMs }: OpenFeedbackTools, pull: Pull): boolean {
  if (pull.status !== 'awaiting_feedback' || pull.listedAt === null || isIgnored(pull)) return false;
  const turn = state.readLiveTurnOfRun(pull.runId);
  if (turn !== undefined && !isGivingWay(turn)) return false;
  if (state.hasUnsettledActions(pull.repoId, pull.prNumber)) return false;
  const events = state.listUnclaimedEvents(pull.repoId, pull.prNumber);
  return isReadyToAnswer(events, { now: now(), debounceMs });
}

/** A review, or a fix of what it found, that nobody works on: it may wait long for its agent, and people go first. */
function isGivingWay({ kind, state, workerId, planDigest }: Turn): boolean {
  const isReviewing = traitsOf(kind).lane === 'review';
  return isReviewing && (state === 'open' || state === 'queued') && workerId === null && planDigest === null;
}

async function openFeedbackTurn(tools: OpenFeedbackTools, repo: Repo, seen: Pull): Promise<void> {
  const { state, github } = tools;
  const { fullName } = repo.config;
  const snapshot = await listPull(tools, repo, seen);
  const issue = await github.fetchIssue(fullName, seen.issueNumber);
  const { headSha, status } = snapshot.pull;
  const head = await checkHead(tools, fullName, seen, headSha);

  state.transaction(() => {
    const pull = state.readPull(repo.id, seen.prNumber);
    const run = state.readRun(seen.runId);
    if (pull === undefined || run === undefined || pull.status !== 'awaiting_feedback') return;
    const isTakenOver = noteTakeovers(tools, repo, [snapshot.issue, issue]);
    if (admit(tools, { pull }, { status, isTakenOver, head }).kind !== 'go') return;
    const session = state.readSession(run.id);
    if (session === undefined) {
      const reason = 'The session of the agent that made this pull request is not on record.';
      return blockPull(tools, pull, { kind: 'session_missing', reason });
    }
    const cap = findCap(tools.limits, { ...measureUse(tools, repo, run), openRuns: 0, openPulls: 0 });
    if (cap !== undefined) return blockPull(tools, pull, { kind: 'cap_reached', reason: `${cap.reason}.` });
    const pending = dropDistrusted(tools, repo, state.listUnclaimedEvents(repo.id, pull.prNumber));
    const events = pending.slice(0, MAX_EVENTS);
    if (events.length === 0) return;
    const waiting = state.readLiveTurnOfRun(run.id);
    if (waiting !== undefined && !isGivingWay(waiting)) return;
    if (waiting !== undefined) endTurn(tools, waiting, 'cancelled', 'feedback of people goes first');
    record(tools, { repo, pull, run, session, events, snapshot, issue });
  });
  failpoint('poller:turn-opened');
}

type Material = {
  repo: Repo;
  pull: Pull;
  run: Run;
  session: Session;
  events: readonly FeedbackEvent[];
  snapshot: Snapshot;
  issue: Snapshot['issue'];
};

function record(tools: OpenFeedbackTools, material: Material): void {
  const { state, now } = tools;
  const { repo, pull, run, events, snapshot } = material;
  const keys = events.map(({ eventKey }) => eventKey).sort();
  const kind = FLOW_TRAITS[run.flow].feedbackKind;
  const earlier = state.listTurnsOfRun(run.id).filter(({ prNumber }) => prNumber === pull.prNumber);
  const turnKey = computeTurnKey({
    kind,
    repoId: repo.id,
    number: pull.prNumber,
    discriminator: [snapshot.pull.headSha, ...keys],
    unfinishedBefore: earlier.filter((turn) => turn.state !== 'done').length,
  });
  const { issueNumber, prNumber } = pull;
  const turn: Turn = openTurn({
    turnKey,
    repoId: repo.id,
    runId: run.id,
    kind,
    issueNumber,
    prNumber,
    openedAt: now(),
  });
  if (!recordTurn(tools, turn, buildContext(tools, material))) return;
  state.claimEvents(repo.id, keys, turnKey);
  const payload = { kind, events: keys.length };
  recordEvents(tools, [
    { type: 'turn_opened', repoId: repo.id, runId: run.id, issueNumber, prNumber, turnKey, payload },
  ]);
}

function buildContext(tools: OpenFeedbackTools, material: Material): FeedbackContext {
  const { repo, pull, session, events, snapshot } = material;
  const { pull: details, reviews } = snapshot;
  const states = reviews.flatMap(({ id, state }): [number, ReviewState][] =>
    state === 'pending' ? [] : [[id, state]],
  );
  const counts = selectTrusted(tools, repo, pull);
  return buildFeedbackContext({
    ...describePull(repo, material, material),
    remarks: events.map(({ payload }) => payload),
    reviewStates: new Map(states),
    reviewComments: snapshot.reviewComments.filter(({ id }) => counts('review', id)),
    conversation: snapshot.conversation.filter(({ id }) => counts('issue', id)),
    signals: details.mergeable === false ? ['merge_conflict'] : [],
    update: events.some(asksForUpdate),
    session: { adapter: session.adapter, threadId: session.threadId },
    stateSummary: session.stateSummary ?? '',
    previousActions: tools.state
      .listActionsOfThread(repo.id, pull.prNumber, 20)
      .reverse()
      .map((action) => describeAction(action, readPlan(tools, action))),
  });
}

function readPlan({ state }: OpenFeedbackTools, { turnKey }: Action): Plan | null {
  return turnKey === null ? null : (state.readPlan(turnKey)?.plan ?? null);
}
