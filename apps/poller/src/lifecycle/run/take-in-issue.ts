import { planNotice } from '@mergexo/core/actions';
import { parseStartCommand } from '@mergexo/core/commands';
import { buildBranchName, buildDesignDocPath, type Flow, labelOf } from '@mergexo/core/flows';
import { START_REMEDY } from '@mergexo/core/outbox';
import {
  decideIntake,
  type IssueFacts,
  isLiveRun,
  readLabelPriority,
  renderRunName,
  type SkipCause,
} from '@mergexo/core/runs';
import { buildSlug, hasLabel } from '@mergexo/core/text';
import type { Run } from '@mergexo/state';
import type { Records, Repo } from '../../tools.js';
import { recordEvents } from '../record-events.js';
import {
  AUTHOR_REMOVED,
  abandonStart,
  findAbandonment,
  ISSUE_CLOSED,
  resumeStart,
  TAKEOVER,
} from './abandon-start.js';

type LabelledIssue = IssueFacts & { title: string; updatedAt: string };

export type TakenIn =
  | { kind: 'started' }
  | { kind: 'skipped'; reason: string; cause: SkipCause }
  | { kind: 'none' };

/** Makes a run of an issue that asks for one, or records why not. Call it inside a transaction. */
export function takeInIssue(tools: Records, repo: Repo, issue: LabelledIssue, command?: Flow): TakenIn {
  for (const run of tools.state.listRunsOfIssue(repo.id, issue.number)) followIssue(tools, repo, issue, run);
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
      return startAgain(tools, repo, issue, runs);
    case 'skip':
      recordSkip(tools, repo, issue.number, intake.reason);
      return { kind: 'skipped', reason: intake.reason, cause: intake.cause };
    case 'start':
      createRun(tools, repo, issue, { flow: intake.flow, ordinal: nextOrdinal(runs, intake.flow) });
      return { kind: 'started' };
  }
}

/** Ended with the issue, which is open again. Without a label on it, a command must have asked for it. */
function startAgain(tools: Records, repo: Repo, issue: LabelledIssue, runs: readonly Run[]): TakenIn {
  const [newest] = runs;
  const isEnded = newest?.status === 'closed' && newest.blockedKind === ISSUE_CLOSED;
  if (!isEnded || newest.flow === 'implementation' || issue.isPullRequest) return { kind: 'none' };
  if (findAbandonment(issue, repo.config.labels.ignore) !== undefined) return { kind: 'none' };
  const wasCommanded = tools.state
    .listEventsOfThread(repo.id, issue.number)
    .some(
      ({ payload, skipReason }) => skipReason === null && parseStartCommand(payload.body) === newest.flow,
    );
  if (!wasCommanded) return { kind: 'none' };
  createRun(tools, repo, issue, { flow: newest.flow, ordinal: nextOrdinal(runs, newest.flow) });
  return { kind: 'started' };
}

/** Somebody has asked once more since: by reopening the issue, or by taking the label off and putting it on again. */
function mayBeginAgain({ blockedKind, labelGone }: Run): boolean {
  const kinds: (string | null)[] = [TAKEOVER, ISSUE_CLOSED, AUTHOR_REMOVED];
  return kinds.includes(blockedKind) || labelGone;
}

/** What a change of the issue means for one of its runs. What is being sent is decided by the outbox. */
function followIssue(tools: Records, repo: Repo, issue: LabelledIssue, run: Run): void {
  const { labels } = repo.config;
  const abandonment = findAbandonment(issue, labels.ignore);
  const isSpeaking = tools.state.readLiveTurnOfRun(run.id)?.state === 'speaking';
  if (abandonment === undefined) resume(tools, issue, run);
  else if (!isSpeaking) abandonStart(tools, run, abandonment);
  followLabel(tools, repo, issue, run.id);
}

function resume(tools: Records, issue: LabelledIssue, run: Run): void {
  const { state, now } = tools;
  resumeStart(tools, run);
  if (run.flow !== 'implementation') return;
  const known = state.readRun(run.id) ?? run;
  const labelPriority = readLabelPriority(issue.labels);
  if (known.labelPriority !== labelPriority) state.saveRun({ ...known, labelPriority }, now());
  // Asked for by a merge, not by a label: reopening the issue is enough.
  const isReopened = known.status === 'closed' && known.blockedKind === ISSUE_CLOSED;
  if (isReopened && !state.hasLiveRun(known.repoId, known.issueNumber))
    state.saveRun({ ...known, labelPriority, status: 'ready', blockedKind: null, clearedAt: now() }, now());
}

/** A label that came back asks again. Where the work is still open, the answer is how it goes on. */
function followLabel(tools: Records, repo: Repo, issue: LabelledIssue, runId: number): void {
  const { state, now } = tools;
  const run = state.readRun(runId);
  const label = run && labelOf(run.flow, repo.config.labels);
  if (run === undefined || label === undefined) return;
  const isGone = !hasLabel(issue.labels, label);
  if (isGone === run.labelGone || (!isGone && !isLiveRun(run))) return;
  state.saveRun({ ...run, labelGone: isGone }, now());
  if (isGone || run.prNumber !== null || run.status === 'ready' || run.status === 'running') return;
  const { repoId, issueNumber } = run;
  const words = `The work on this is open already and waits (${run.status}): ${renderWayOn(run)}`;
  const cause = [renderRunName(run), issue.updatedAt];
  const notice = planNotice({ kind: 'command_reply', repoId, runId, thread: issueNumber, cause, words });
  state.recordActions([notice], now());
}

function renderWayOn({ status }: Run): string {
  return status === 'awaiting_issue_followup' ? 'a reply on this issue resumes it.' : START_REMEDY;
}

/** Above every earlier one: a superseded run has moved on to a later branch by itself. */
export function nextOrdinal(runs: readonly Pick<Run, 'flow' | 'ordinal'>[], flow: Flow): number {
  return Math.max(0, ...runs.filter((run) => run.flow === flow).map(({ ordinal }) => ordinal)) + 1;
}

function createRun(
  tools: Records,
  repo: Repo,
  issue: LabelledIssue,
  { flow, ordinal }: { flow: Flow; ordinal: number },
): void {
  const { state, now } = tools;
  const name = { flow, issueNumber: issue.number, slug: buildSlug(issue.title), ordinal };
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

/** Once per reason: the same issue comes with every change of it. */
export function recordSkip(tools: Records, repo: Repo, issueNumber: number, reason: string): void {
  const last = tools.state.readLastEventOfIssue(repo.id, issueNumber, 'intake_skipped');
  if (JSON.stringify(last?.payload) === JSON.stringify({ reason })) return;
  recordEvents(tools, [{ type: 'intake_skipped', repoId: repo.id, issueNumber, payload: { reason } }]);
}
