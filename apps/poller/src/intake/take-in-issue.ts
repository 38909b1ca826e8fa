import {
  buildBranchName,
  buildDesignDocPath,
  buildSlug,
  decideIntake,
  type Flow,
  type IssueFacts,
  isLiveRun,
  type Log,
} from '@mergexo/core';
import type { Run, State } from '@mergexo/state';
import { endTurn } from '../feedback/end-turn.js';
import { isTakenOver } from '../feedback/open-feedback-turns.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { closeRun, TAKEOVER } from '../settle-turns.js';

type Tools = { state: State; now: () => number; log: Log };

/** Makes a run of an issue that asks for one, or records why not. Call it inside a transaction. */
export function takeInIssue(
  tools: Tools,
  repo: Repo,
  issue: IssueFacts & { title: string },
  command?: Flow,
): Run | undefined {
  for (const run of tools.state.listRunsOfIssue(repo.id, issue.number)) stopStart(tools, repo, issue, run);
  const runs = tools.state.listRunsOfIssue(repo.id, issue.number);
  const { labels, allowedUsers } = repo.config;
  const intake = decideIntake(issue, {
    rules: { labels, allowedUsers },
    command,
    earlier: runs
      .filter(({ blockedKind }) => blockedKind !== TAKEOVER)
      .map((run) => ({ flow: run.flow, status: run.status, live: isLiveRun(run) })),
  });
  switch (intake.kind) {
    case 'none':
      return undefined;
    case 'skip':
      recordSkip(tools, repo, issue.number, intake.reason);
      return undefined;
    case 'start':
      return createRun(tools, repo, issue, {
        flow: intake.flow,
        ordinal: nextOrdinal(runs, intake.flow),
      });
  }
}

/** Closed or taken over while it is worked on: the worker is told to stop. What is being sent is decided by the outbox. */
function stopStart(tools: Tools, repo: Repo, issue: IssueFacts, run: Run): void {
  const isOver = isTakenOver(issue.labels, repo.config.labels.ignore);
  if ((issue.open && !isOver) || run.prNumber !== null || run.status !== 'running') return;
  const turn = tools.state.readLiveTurnOfRun(run.id);
  if (turn === undefined || turn.state === 'speaking') return;
  const reason = isOver ? 'a person took it over' : 'the issue was closed';
  endTurn(tools, turn, 'cancelled', reason);
  closeRun(tools, run, reason, isOver ? TAKEOVER : null);
}

/** Above every earlier one: a superseded run has moved on to a later branch by itself. */
export function nextOrdinal(runs: readonly Pick<Run, 'flow' | 'ordinal'>[], flow: Flow): number {
  return Math.max(0, ...runs.filter((run) => run.flow === flow).map(({ ordinal }) => ordinal)) + 1;
}

function createRun(
  tools: Tools,
  repo: Repo,
  issue: IssueFacts & { title: string },
  { flow, ordinal }: { flow: Flow; ordinal: number },
): Run | undefined {
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
  if (run === undefined) return undefined;
  const payload = { flow, branch: run.branch };
  recordEvents(tools, [
    { type: 'run_created', repoId: repo.id, runId: run.id, issueNumber: issue.number, payload },
  ]);
  return run;
}

/** Once per reason: the same issue comes with every change of it. */
export function recordSkip(tools: Tools, repo: Repo, issueNumber: number, reason: string): void {
  const last = tools.state.readLastEventOfIssue(repo.id, issueNumber, 'intake_skipped');
  if (JSON.stringify(last?.payload) === JSON.stringify({ reason })) return;
  recordEvents(tools, [{ type: 'intake_skipped', repoId: repo.id, issueNumber, payload: { reason } }]);
}
