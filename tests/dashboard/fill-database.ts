import { FLOWS } from '@mergexo/core/flows';
import type { Plan } from '@mergexo/core/turns';
import type { Run, State } from '@mergexo/state';
import { aPlan, aRemark, aTurn } from '@mergexo/testkit';
import { addSigns } from './add-signs.js';
import { addSteps, USED } from './add-steps.js';

const HOUR_MS = 3_600_000;
const TITLES = [
  'The export forgets the last row',
  'Let people search by date',
  'Explain the retry limits',
  'Login fails after a password change',
  'Show the time zone next to every date',
  'The upload of large files stops at 2 GB',
  'Add a dark theme to the settings',
  'Sort the list of invoices by amount',
];
const PEOPLE = ['ada', 'grace', 'linus', 'margaret', 'ken', 'barbara'];
/** Of 1,000 issues, this many are still open. */
const LIVE_PER_MILLE = 60;
/** Most issues have two turns. */
const TURNS = 2;
const FIRST_ISSUE = 1_001;

export type Size = { issues: number; events: number; steps: number };
type Scope = { state: State; now: number; events: number; steps: number };
type Repository = { id: number; owner: string; name: string };

export const REPOSITORIES: readonly Repository[] = ['engine', 'loom', 'store', 'web'].map((name, index) => ({
  ...{ id: index + 1, owner: 'ada', name },
}));

/** Pseudo-random numbers that are the same in every run. */
const scatter = (n: number, below: number): number => ((n * 2_654_435_761) % 4_294_967_296) % below;

/** Fills an empty database with issues in every stage, for the benchmark and for a look at the pages. */
export function fillDatabase(
  state: State,
  size: Size,
  {
    now,
    repositories = REPOSITORIES,
    /** In this repository, all issues have ended, because GitHub knows nothing about them. */
    endedRepo = undefined,
  }: { now: number; repositories?: readonly Repository[]; endedRepo?: number },
): void {
  for (const repository of repositories) state.saveRepository({ ...repository, defaultBranch: 'main' });
  const { issues, events, steps } = size;
  const scope: Scope = {
    ...{ state, now },
    events: Math.round(events / issues),
    steps: Math.round(steps / issues / TURNS),
  };
  state.transaction(() => {
    for (let index = 0; index < issues; index += 1) {
      const { id } = repositories[index % repositories.length] ?? { id: 1 };
      addIssue(scope, { index, repoId: id, isEnded: id === endedRepo });
    }
    addWorkers(scope);
  });
}

function addIssue(
  scope: Scope,
  { index, repoId, isEnded }: { index: number; repoId: number; isEnded: boolean },
): void {
  const { state, now } = scope;
  const issueNumber = FIRST_ISSUE + Math.floor(index / 4) * 2;
  const startedAt = now - HOUR_MS * (3 + scatter(index, 24 * 90));
  const title = `${TITLES[scatter(index, TITLES.length)]} (${index})`;
  const flow = FLOWS[scatter(index + 3, FLOWS.length)] ?? 'bugfix';
  const branch = `agent/${flow}/${issueNumber}`;
  const created = { repoId, issueNumber, flow, issueTitle: title, branch, designDocPath: null, ordinal: 1 };
  const run = state.recordRun(created, startedAt);
  if (run === undefined) throw new Error('the run already exists');
  const live = !isEnded && index % 1_000 < LIVE_PER_MILLE ? index % 1_000 : undefined;
  const ended = endOf(index);
  if (live === undefined) addPulled(scope, run, { status: ended, index });
  else if (live < 2) block(scope, run, index);
  else if (live < 6)
    state.saveRun(
      {
        ...run,
        status: 'awaiting_issue_followup',
        blockedKind: live < 4 ? 'agent_blocked' : 'tests_failed',
        error: 'Which of the two tables should the report read? Both contain an amount, and they differ.',
      },
      startedAt + HOUR_MS,
    );
  else if (live < 42) addPulled(scope, run, { status: 'awaiting_feedback', index });
  else if (live === 42) addRunning(scope, run);
  else if (live < 50)
    state.recordTurn(aTurn({ repoId, runId: run.id, issueNumber, state: 'open', openedAt: startedAt }), {});
}

function endOf(index: number): Run['status'] {
  const die = scatter(index + 11, 20);
  return die === 0 ? 'closed' : 'merged';
}

/** Higher than the ids of comments that a local stand-in for GitHub creates. */
const FIRST_COMMENT = 1_000_000_000;

/** Adds a pull request with two finished turns, two comments and their costs. */
function addPulled(
  scope: Scope,
  run: Run,
  { status, index }: { status: Run['status']; index: number },
): void {
  const { state } = scope;
  const { repoId, issueNumber } = run;
  const prNumber = issueNumber + 1;
  const commentId = FIRST_COMMENT + index * 10;
  const url = `https://github.test/ada/engine/pull/${prNumber}`;
  const pull = {
    repoId,
    prNumber,
    runId: run.id,
    issueNumber,
    branch: run.branch ?? '',
    headSha: 'a'.repeat(40),
    url,
  };
  state.recordPull(pull, run.createdAt + HOUR_MS);
  const saved = state.readPull(repoId, prNumber);
  if (saved === undefined) throw new Error('no pull request');
  if (status === 'awaiting_feedback' && index % 5 === 0)
    state.savePull({ ...saved, humanReviewRequired: true }, run.createdAt + HOUR_MS);
  if (status === 'merged' || status === 'closed')
    state.savePull({ ...saved, status }, run.createdAt + HOUR_MS);
  state.saveRun({ ...run, prNumber, status }, run.createdAt + 2 * HOUR_MS);
  addTurn(scope, run, { kind: 'bugfix_start', prNumber: null, at: run.createdAt });
  const turnKey = addTurn(scope, run, {
    kind: 'implementation_feedback',
    prNumber,
    at: run.createdAt + HOUR_MS,
  });
  addSigns(state, { repoId, issueNumber, prNumber }, { commentId, isEnded: status !== 'awaiting_feedback' });
  for (const [nth, author] of [PEOPLE[index % 6] ?? 'ada', PEOPLE[(index + 1) % 6] ?? 'ada'].entries())
    addComment(scope, run, { commentId: commentId + nth, author, turnKey, prNumber });
}

type TurnFacts = { kind: 'bugfix_start' | 'implementation_feedback'; prNumber: number | null; at: number };

function addTurn({ state, events, steps }: Scope, run: Run, { kind, prNumber, at }: TurnFacts): string {
  const { repoId, issueNumber, id: runId } = run;
  const endedAt = at + 400_000;
  const turn = aTurn({
    ...{ repoId, runId, issueNumber, prNumber, kind, state: 'done', begins: ['r'], openedAt: at, endedAt },
  });
  const { turnKey } = turn;
  state.recordTurn(turn, { filler: 'x'.repeat(2_000) });
  state.recordPlan(turnKey, { ...aPlan(turnKey.slice(0, 8)), bundle: null, plan: planOf(kind, turnKey) });
  const about = { repoId, runId, issueNumber, prNumber, turnKey };
  state.recordEvent({ type: 'turn_opened', ...about, payload: { kind } }, at);
  state.recordEvent({ type: 'turn_begun', ...about, payload: { worker: 'w-one' } }, at + 5_000);
  for (let step = 0; step < events / 2 - 3; step += 1)
    state.recordEvent(
      { type: 'turn_progress', ...about, payload: { step: `edits src/file-${step}.ts` } },
      at + 6_000 + step,
    );
  state.recordEvent({ type: 'turn_completed', ...about }, endedAt);
  addSteps(state, turnKey, { count: steps, at });
  const spent = { ...USED, costUsd: 0.1 + (at % 90) / 100, durationMs: 300_000 };
  state.recordSpend({ repoId, runId, turnKey, attempt: 1, ...spent }, endedAt);
  return turnKey;
}

function planOf(kind: TurnFacts['kind'], turnKey: string): Plan {
  const { plan } = aPlan(turnKey.slice(0, 8));
  if (kind === 'bugfix_start')
    return { ...plan, result: { kind: 'pull', title: 'Fix it', summary: 'Fixed the cause.', design: null } };
  return { ...plan, result: { kind: 'answer', replies: [], general: 'Done. I changed the wording.' } };
}

type CommentFacts = { commentId: number; author: string; turnKey: string; prNumber: number };

function addComment(
  { state }: Scope,
  run: Run,
  { commentId, author, turnKey, prNumber }: CommentFacts,
): void {
  const at = run.createdAt + HOUR_MS;
  const time = new Date(at).toISOString();
  const remark = aRemark({
    ...{ commentId, thread: prNumber, createdAt: time, updatedAt: time },
    author: { id: commentId, login: author, type: 'User' },
    body: 'Please mention the time zone in the help text, too.',
  });
  const { repoId, issueNumber } = run;
  state.recordFeedbackEvent({ repoId, issueNumber, remark, skipReason: null }, at);
  const eventKey = `${prNumber}:${remark.kind}:${commentId}:${time}`;
  state.claimEvents(repoId, [eventKey], turnKey);
  state.markEventProcessed({ repoId, eventKey }, at + 500_000);
}

function block({ state, now }: Scope, run: Run, index: number): void {
  const { repoId, issueNumber } = run;
  const prNumber = issueNumber + 1;
  const pull = {
    repoId,
    prNumber,
    runId: run.id,
    issueNumber,
    branch: run.branch ?? '',
    headSha: 'a'.repeat(40),
    url: null,
  };
  state.recordPull(pull, now);
  const saved = state.readPull(repoId, prNumber);
  if (saved === undefined) throw new Error('no pull request');
  const reason =
    'Somebody rewrote the history of the branch: the last accepted commit is no longer part of it.';
  const blocked = { status: 'blocked', blockedKind: 'history_rewritten', error: reason } as const;
  const at = now - HOUR_MS * (1 + (index % 9));
  state.savePull({ ...saved, ...blocked, headSha: 'b'.repeat(40) }, at);
  state.saveRun({ ...run, prNumber, ...blocked }, at);
  const payload = { kind: 'history_rewritten', reason, observed_head_sha: 'b'.repeat(40) };
  state.recordEvent({ type: 'pull_blocked', repoId, runId: run.id, issueNumber, prNumber, payload }, at);
}

function addRunning({ state, now }: Scope, run: Run): void {
  const { repoId, issueNumber, id: runId } = run;
  const turn = aTurn({
    ...{ repoId, runId, issueNumber, kind: 'bugfix_start', state: 'running', epoch: 1, begins: ['r'] },
    ...{ workerId: `w-${repoId}`, heartbeatAt: now - 2_000, openedAt: now - 190_000 },
  });
  state.recordTurn(turn, {});
  const about = { repoId, runId, issueNumber, turnKey: turn.turnKey };
  state.recordEvent({ type: 'turn_begun', ...about, payload: { worker: `w-${repoId}` } }, now - 180_000);
  for (const [index, step] of ['reads src/export.ts', 'edits src/export.ts', 'runs npm test'].entries())
    state.recordEvent({ type: 'turn_progress', ...about, payload: { step } }, now - 60_000 + index * 20_000);
  state.saveRun({ ...run, status: 'running' }, now);
}

function addWorkers({ state, now }: Scope): void {
  for (const id of ['w-1', 'w-2', 'w-3', 'w-idle'])
    state.saveWorkerLease({
      workerId: id,
      host: 'box',
      pid: 4_000,
      since: now - HOUR_MS,
      expiresAt: now + HOUR_MS,
    });
  for (const subject of ['poller', 'github', 'redis', 'repo/1', 'repo/2', 'repo/3', 'repo/4'] as const)
    state.saveHealth({ subject, code: 'ok', detail: null }, now);
  state.saveRateLimit({ login: 'mergexo-bot', limit: 5_000, left: 4_321, resetsAt: now + HOUR_MS }, now);
}
