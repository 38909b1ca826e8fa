import type { Config } from '@mergexo/config';
import { type Action, describeAction } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import { isReadyToAnswer, type ReviewState } from '@mergexo/core/feedback';
import { FLOW_TRAITS } from '@mergexo/core/flows';
import { findCap } from '@mergexo/core/runs';
import {
  buildFeedbackContext,
  type FeedbackContext,
  MAX_EVENTS,
  type Plan,
  type Turn,
  traitsOf,
} from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';
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
import type { Recent, Repo } from '../tools.js';
import { buildTurn } from './build-turn.js';
import { describePull } from './describe-pull.js';
import { type Background, readBackground } from './read-background.js';

export type OpenFeedbackTools = ListTools &
  Recent & {
    limits: Config['limits'];
    debounceMs: number;
    windowMs: number;
  };

/** Far more actions than the limits of a run allow. */
const MAX_ACTIONS = 1_000;

/** Opens one turn for each pull request with new feedback. An unreadable pull request does not delay the others. */
export async function openFeedbackTurns(tools: OpenFeedbackTools, repo: Repo): Promise<void> {
  if (!repo.config.enableFeedbackLoop) return;
  for (const pull of tools.state.listWatchedPulls(repo.id).filter((other) => isReady(tools, other))) {
    await skipUnreadable(
      tools.log,
      {
        message: 'could not read a pull request with new comments; MergeXO retries in the next cycle',
        pr_number: pull.prNumber,
      },
      () => openFeedbackTurn(tools, repo, pull),
    );
  }
}

/** True if feedback can be answered now. Unsettled actions come first, because they may answer the same events. */
function isReady({ state, now, debounceMs }: OpenFeedbackTools, pull: Pull): boolean {
  if (pull.status !== 'awaiting_feedback' || pull.listedAt === null || isIgnored(pull)) return false;
  const turn = state.readLiveTurnOfRun(pull.runId);
  if (turn !== undefined && !canBePreempted(turn)) return false;
  if (state.hasUnsettledActions(pull.repoId, pull.prNumber)) return false;
  const { repoId, prNumber: thread } = pull;
  const events = state
    .listUnclaimedEvents(repoId, thread)
    .map(({ seenAt, kind, payload: { reviewId } }) => ({ seenAt, kind, reviewId }));
  const stateOf = (commentId: number): ReviewState | null =>
    state.readLastEventOfComment(repoId, { thread, kind: 'review_summary', commentId })?.payload
      .reviewState ?? null;
  return isReadyToAnswer(events, { now: now(), debounceMs, stateOf });
}

/** True for a review or fix that no worker has started. People's feedback has priority over such a turn. */
function canBePreempted({ kind, state, workerId, planDigest }: Turn): boolean {
  const isReviewing = traitsOf(kind).lane === 'review';
  return isReviewing && (state === 'open' || state === 'queued') && workerId === null && planDigest === null;
}

async function openFeedbackTurn(tools: OpenFeedbackTools, repo: Repo, seen: Pull): Promise<void> {
  const { state, github } = tools;
  const { fullName } = repo.config;
  const [snapshot, issue] = await Promise.all([
    listPull(tools, repo, { pull: seen, maxAgeMs: tools.recentMs }),
    github.refreshIssue(fullName, seen.issueNumber, tools.recentMs),
  ]);
  const { headSha, status } = snapshot.pull;
  const head = await checkHead(tools, fullName, { pull: seen, observedSha: headSha });
  const background = await readBackground(tools, repo, { pull: seen, snapshot, issue });

  state.transaction(() => {
    const pull = state.readPull(repo.id, seen.prNumber);
    const run = state.readRun(seen.runId);
    if (pull === undefined || run === undefined || pull.status !== 'awaiting_feedback') return;
    const isTakenOver = noteTakeovers(tools, repo, [{ ...snapshot.pull, isPullRequest: true }, issue]);
    if (admit(tools, { pull }, { status, isTakenOver, head }).kind !== 'go') return;
    const session = state.readSession(run.id);
    if (session === undefined) {
      const reason = 'MergeXO has no record of the agent session that made this pull request.';
      return blockPull(tools, pull, { kind: 'session_missing', reason });
    }
    const cap = findCap(tools.limits, { ...measureUse(tools, repo, run), openRuns: 0, openPulls: 0 });
    if (cap !== undefined) return blockPull(tools, pull, { kind: 'cap_reached', reason: `${cap.reason}.` });
    const pending = dropDistrusted(tools, repo, state.listUnclaimedEvents(repo.id, pull.prNumber));
    const events = pending.slice(0, MAX_EVENTS);
    if (events.length === 0) return;
    const waiting = state.readLiveTurnOfRun(run.id);
    if (waiting !== undefined && !canBePreempted(waiting)) return;
    if (waiting !== undefined)
      endTurn(tools, waiting, { end: 'cancelled', reason: "people's feedback goes first" });
    record(tools, { repo, pull, run, session, events, snapshot, issue, background });
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
  issue: Issue;
  background: Background;
};

function record(tools: OpenFeedbackTools, material: Material): void {
  const { pull, run, events, snapshot } = material;
  const keys = events.map(({ eventKey }) => eventKey).sort();
  const kind = FLOW_TRAITS[run.flow].feedbackKind;
  const turn = buildTurn(tools, { ...pull, kind }, [snapshot.pull.headSha, ...keys]);
  if (!recordTurn(tools, turn, buildContext(tools, material))) return;
  const { repoId, runId, issueNumber, prNumber, turnKey } = turn;
  tools.state.claimEvents(repoId, keys, turnKey);
  const payload = { kind, events: keys.length };
  recordEvents(tools, [{ type: 'turn_opened', repoId, runId, issueNumber, prNumber, turnKey, payload }]);
}

function buildContext(tools: OpenFeedbackTools, material: Material): FeedbackContext {
  const { repo, pull, session, events, snapshot, background } = material;
  const { pull: details, reviews } = snapshot;
  const states = reviews.flatMap(({ id, state }): [number, ReviewState][] =>
    state === 'pending' ? [] : [[id, state]],
  );
  const isTrusted = selectTrusted(tools, repo, pull);
  return buildFeedbackContext({
    ...describePull(repo, material, material),
    ...background,
    remarks: events.map(({ payload }) => payload),
    reviewStates: new Map(states),
    reviewComments: snapshot.reviewComments.filter(({ id }) => isTrusted('review', id)),
    conversation: snapshot.conversation.filter(({ id }) => isTrusted('issue', id)),
    signals: details.mergeable === false ? ['merge_conflict'] : [],
    update: events.some(asksForUpdate),
    session: { adapter: session.adapter, threadId: session.threadId },
    stateSummary: session.stateSummary ?? '',
    previousActions: listPosts(tools, pull),
  });
}

/** Lists the agent's own posts on the pull request, oldest first. */
function listPosts(
  { state }: OpenFeedbackTools,
  { repoId, prNumber }: Pull,
): FeedbackContext['previousActions'] {
  const plans = new Map<string, Plan | null>();
  const readPlan = ({ turnKey }: Action): Plan | null => {
    if (turnKey === null) return null;
    const plan = plans.get(turnKey) ?? state.readPlan(turnKey)?.plan ?? null;
    plans.set(turnKey, plan);
    return plan;
  };
  return state
    .listActionsOfThread(repoId, prNumber, MAX_ACTIONS)
    .flatMap((action) => describeAction(action, readPlan(action)) ?? [])
    .reverse();
}
