import { computeNoticeId } from '@mergexo/core/actions';
import { parseCommand, parseStartCommand, renderIgnoredCommands } from '@mergexo/core/commands';
import { buildEventKey, type Remark } from '@mergexo/core/feedback';
import { neutraliseLine } from '@mergexo/core/text';
import type { Issue } from '@mergexo/github';
import type { FeedbackEvent, State } from '@mergexo/state';
import { recordNotice } from '../lifecycle/action.js';
import { recordIssue, type TakenIn } from '../lifecycle/run/record-issue.js';
import type { Records, Repo } from '../tools.js';

/** True for a start command without a reply. After the reply, text around the command is an ordinary comment. */
export function isUnansweredStart(state: State, event: Pick<FeedbackEvent, 'repoId' | 'payload'>): boolean {
  const { repoId, payload } = event;
  if (parseStartCommand(payload.body) === undefined) return false;
  return state.readAction(computeNoticeId(describeReply(repoId, payload))) === undefined;
}

/**
 * Starts the flow, or replies with the reason for not starting it. Text around a refused command becomes feedback.
 * Requires a transaction.
 */
export function runStartCommand(
  tools: Records,
  repo: Repo,
  { remark, issue }: { remark: Remark; issue: Issue | undefined },
): void {
  const { state, now } = tools;
  const taken = issue && recordIssue(tools, repo, { issue, command: parseStartCommand(remark.body) });
  if (taken?.kind === 'skipped') {
    replyWhyNot(tools, repo, { remark, ...taken });
    if (hasText(remark) && state.hasLiveRun(repo.id, remark.thread)) return;
  } else if (taken !== undefined) replyIgnored(tools, repo.id, { remark, runId: null });
  const event = { repoId: repo.id, eventKey: buildEventKey(remark) };
  state.markEventProcessed(event, now(), issue === undefined ? { code: 'issue_gone' } : null);
}

export function hasText({ body }: Pick<Remark, 'body'>): boolean {
  return (parseCommand(body)?.rest ?? body).trim() !== '';
}

const ADVICE =
  'An operator can add the login to `allowed_users` in `mergexo.toml` and restart MergeXO, or an allowed user can open a new issue.';

/** Replies with the reason, even on an issue without a run, because every command by an allowed person gets a reply. */
function replyWhyNot(
  tools: Records,
  repo: Repo,
  { remark, reason, cause }: Extract<TakenIn, { kind: 'skipped' }> & { remark: Remark },
): void {
  const [run] = tools.state.listRunsOfIssue(repo.id, remark.thread);
  const text = [`Not started: ${neutraliseLine(reason)}.`, ...(cause === 'author' ? [ADVICE] : [])].join(' ');
  const about = { ...describeReply(repo.id, remark), runId: run?.id ?? null };
  recordNotice(tools, { ...about, payload: { text: text + renderIgnoredCommands(remark.body) } });
}

/** Lists the ignored commands after a command that has no reply of its own. Requires a transaction. */
export function replyIgnored(
  tools: Records,
  repoId: number,
  { remark, runId, said = new Set() }: { remark: Remark; runId: number | null; said?: ReadonlySet<string> },
): void {
  const about = describeReply(repoId, remark);
  const text = renderIgnoredCommands(remark.body).trim();
  if (text !== '' && !said.has(computeNoticeId(about)))
    recordNotice(tools, { ...about, runId, payload: { text } });
}

function describeReply(repoId: number, { thread, commentId, updatedAt }: Remark) {
  return { kind: 'command_reply', repoId, thread, cause: [commentId, updatedAt] } as const;
}
