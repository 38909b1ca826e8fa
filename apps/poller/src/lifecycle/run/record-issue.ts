import { parseStartCommand } from '@mergexo/core/commands';
import { buildBranchName, buildDesignDocPath, type Flow, labelOf } from '@mergexo/core/flows';
import { START_REMEDY } from '@mergexo/core/outbox';
import {
  decideIntake,
  type IssueFacts,
  isLiveRun,
  RUN_END_TRAITS,
  RUN_STATUS_NAMES,
  readLabelPriority,
  renderRunName,
  type SkipCause,
} from '@mergexo/core/runs';
import { buildSlug, hasLabel } from '@mergexo/core/text';
import type { Run } from '@mergexo/state';
import type { Records, Repo } from '../../tools.js';
import { recordNotice } from '../action.js';
import { recordEvents } from '../record-events.js';
import { abandonStart, findAbandonment, resumeStart } from './abandon-start.js';
import { readLastWait } from './end-start.js';
import { noteBlockers } from './note-blockers.js';

type LabelledIssue = IssueFacts & { title: string; updatedAt: string; blockedBy: number };

export type TakenIn =
  | { kind: 'started' }
  | { kind: 'skipped'; reason: string; cause: SkipCause }
  | { kind: 'none' };

type Taking = { issue: LabelledIssue; command?: Flow | undefined };

/** Starts a run for an issue that requests one, or records the reason for skipping it. Requires a transaction. */
export function recordIssue(tools: Records, repo: Repo, taking: Taking): TakenIn {
  const taken = takeIn(tools, repo, taking);
  if (!taking.issue.isPullRequest) noteBlockers(tools, repo.id, taking.issue);
  return taken;
}

function takeIn(tools: Records, repo: Repo, { issue, command }: Taking): TakenIn {
  for (const run of tools.state.listRunsOfIssue(repo.id, issue.number))
    followIssue(tools, repo, { issue, run });
  const runs = tools.state.listRunsOfIssue(repo.id, issue.number);
  const { labels, allowedUsers } = repo.config;
  const intake = decideIntake(issue, {
    rules: { labels, allowedUsers },
    command,
    earlier: runs
      .filter((run) => isLiveRun(run) || !mayBeginAgain(run))
      .map((run) => ({ flow: run.flow, status: run.status, live: isLiveRun(run) })),
  });
  switch (intake.kind) {
    case 'none':
      return startAgain(tools, repo, { issue, runs });
    case 'skip':
      recordSkip(tools, repo, { issueNumber: issue.number, reason: intake.reason });
      return { kind: 'skipped', reason: intake.reason, cause: intake.cause };
    case 'start':
      createRun(tools, repo, { issue, flow: intake.flow, ordinal: nextOrdinal(runs, intake.flow) });
      return { kind: 'started' };
  }
}

/** Starts a new run for a reopened issue without a label, if a command started the previous run. */
function startAgain(
  tools: Records,
  repo: Repo,
  { issue, runs }: { issue: LabelledIssue; runs: readonly Run[] },
): TakenIn {
  const [newest] = runs;
  if (newest?.endedKind !== 'issue_closed' || newest.flow === 'implementation' || issue.isPullRequest)
    return { kind: 'none' };
  if (findAbandonment(issue, repo.config.labels.ignore) !== undefined) return { kind: 'none' };
  const wasCommanded = tools.state
    .listEventsOfThread(repo.id, issue.number)
    .some(
      ({ payload, skipReason }) => skipReason === null && parseStartCommand(payload.body) === newest.flow,
    );
  if (!wasCommanded) return { kind: 'none' };
  createRun(tools, repo, { issue, flow: newest.flow, ordinal: nextOrdinal(runs, newest.flow) });
  return { kind: 'started' };
}

/** True if the ended run allows a new one: its label was removed in the meantime, or its end allows a restart. */
function mayBeginAgain({ endedKind, labelGone }: Run): boolean {
  return labelGone || (endedKind !== null && RUN_END_TRAITS[endedKind].mayBeginAgain);
}

/** Applies changes of the issue to one of its runs. While a turn posts, the outbox itself checks the issue. */
function followIssue(tools: Records, repo: Repo, { issue, run }: { issue: LabelledIssue; run: Run }): void {
  const { labels } = repo.config;
  const abandonment = findAbandonment(issue, labels.ignore);
  const isSpeaking = tools.state.readLiveTurnOfRun(run.id)?.state === 'speaking';
  if (abandonment === undefined) resume(tools, issue, run);
  else if (!isSpeaking) abandonStart(tools, run, abandonment);
  followLabel(tools, repo, { issue, runId: run.id });
}

function resume(tools: Records, issue: LabelledIssue, run: Run): void {
  const { state, now } = tools;
  resumeStart(tools, run);
  if (run.flow !== 'implementation') return;
  const known = state.readRun(run.id) ?? run;
  const labelPriority = readLabelPriority(issue.labels);
  if (known.labelPriority !== labelPriority) state.saveRun({ ...known, labelPriority }, now());
  // A merge requested the implementation, not a label, so reopening the issue is enough to restart it. Anybody with
  // access can reopen an issue, so the usage still counts toward the limits.
  if (known.endedKind === 'issue_closed' && !state.hasLiveRun(known.repoId, known.issueNumber))
    state.saveRun({ ...known, labelPriority, status: 'ready' }, now());
}

/** Replies to a re-added label with instructions to resume, if the run is waiting or blocked. */
function followLabel(
  tools: Records,
  repo: Repo,
  { issue, runId }: { issue: LabelledIssue; runId: number },
): void {
  const { state, now } = tools;
  const run = state.readRun(runId);
  const label = run && labelOf(run.flow, repo.config.labels);
  if (run === undefined || label === undefined) return;
  const isGone = !hasLabel(issue.labels, label);
  if (isGone === run.labelGone || (!isGone && !isLiveRun(run))) return;
  state.saveRun({ ...run, labelGone: isGone }, now());
  if (isGone || run.prNumber !== null || run.status === 'ready' || run.status === 'running') return;
  const { repoId, issueNumber } = run;
  const text = `MergeXO is already working on this issue, but the work is ${RUN_STATUS_NAMES[run.status]}. ${renderWayOn(run)}`;
  // One notice per wait: anybody who may label could otherwise make MergeXO post a comment per toggle.
  const cause = [renderRunName(run), run.status, readLastWait(state, run), run.clearedAt];
  const about = { repoId, runId, thread: issueNumber, cause };
  recordNotice(tools, { ...about, kind: 'command_reply', payload: { text } });
}

function renderWayOn({ status }: Run): string {
  return status === 'awaiting_issue_followup' ? 'Reply on this issue to resume the work.' : START_REMEDY;
}

/** Returns the next ordinal of a flow. It may exceed the run count: `leaveBranch` uses up ordinals. */
export function nextOrdinal(runs: readonly Pick<Run, 'flow' | 'ordinal'>[], flow: Flow): number {
  return Math.max(0, ...runs.filter((run) => run.flow === flow).map(({ ordinal }) => ordinal)) + 1;
}

function createRun(
  tools: Records,
  repo: Repo,
  { issue, flow, ordinal }: { issue: LabelledIssue; flow: Flow; ordinal: number },
): void {
  const { state, now } = tools;
  const name = { flow, issueNumber: issue.number, slug: buildSlug(state.redact(issue.title)), ordinal };
  const run = state.recordRun(
    {
      repoId: repo.id,
      issueNumber: issue.number,
      flow,
      ordinal,
      issueTitle: issue.title,
      branch: buildBranchName(name),
      designDocPath: flow === 'design_doc' ? buildDesignDocPath(repo.config.designDocsDir, name) : null,
    },
    now(),
  );
  if (run === undefined) return;
  const payload = { flow, branch: run.branch };
  recordEvents(tools, [
    { type: 'run_created', repoId: repo.id, runId: run.id, issueNumber: issue.number, payload },
  ]);
}

/** Records a skip reason only if it changed, because the feed repeats the issue with every change. */
export function recordSkip(
  tools: Records,
  repo: Repo,
  { issueNumber, reason }: { issueNumber: number; reason: string },
): void {
  const last = tools.state.readLastEventOfIssue(repo.id, issueNumber, 'intake_skipped');
  if (JSON.stringify(last?.payload) === JSON.stringify({ reason })) return;
  recordEvents(tools, [{ type: 'intake_skipped', repoId: repo.id, issueNumber, payload: { reason } }]);
}
