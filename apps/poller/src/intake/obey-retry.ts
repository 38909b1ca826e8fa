import { decideRemark, type Log, parseCommand, planNotice, type Remark } from '@mergexo/core';
import type { State } from '@mergexo/state';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';

type Tools = { state: State; now: () => number; log: Log };

/** `/mergexo retry` on an issue: a start that was blocked begins again, and says so once. Inside a transaction. */
export function obeyRetry(tools: Tools, repo: Repo, remark: Remark): void {
  const { state, now } = tools;
  if (parseCommand(remark.body)?.command.kind !== 'retry') return;
  if (state.readLastEventOfComment(repo.id, remark)?.payload.body === remark.body) return;
  const { allowedUsers, operatorLogins } = repo.config;
  const decision = decideRemark(remark, { ownership: 'not-ours', allowedUsers, operatorLogins });
  const skipReason = decision.kind === 'skip' ? decision.reason : 'it is a command';
  const issueNumber = remark.thread;
  if (!state.recordFeedbackEvent({ repoId: repo.id, issueNumber, remark, skipReason }, now())) return;
  if (decision.kind !== 'command' || !decision.isOperator) return;
  const [newest] = state.listRunsOfIssue(repo.id, issueNumber);
  if (newest === undefined) return;
  const isBlocked = newest.status === 'blocked' && newest.prNumber === null;
  const { id: runId, repoId } = newest;
  if (isBlocked) {
    const cleared = { status: 'ready' as const, blockedKind: null, error: null, clearedAt: now() };
    state.saveRun({ ...newest, ...cleared }, now());
  }
  const words = isBlocked ? 'It is tried again.' : 'Nothing is blocked here.';
  const cause = [remark.commentId, remark.updatedAt];
  state.recordActions(
    [planNotice({ kind: 'command_reply', repoId, runId, thread: issueNumber, cause, words })],
    now(),
  );
  const payload = { command: 'retry', by: remark.author.login, obeyed: isBlocked };
  recordEvents(tools, [{ type: 'command_obeyed', repoId, runId, issueNumber, payload }]);
}
