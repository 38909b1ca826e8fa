import { type Action, planNotice } from '@mergexo/core/actions';
import { parseCommand, parseStartCommand } from '@mergexo/core/commands';
import { buildEventKey, type Remark } from '@mergexo/core/feedback';
import { neutraliseLine } from '@mergexo/core/text';
import type { Issue } from '@mergexo/github';
import type { FeedbackEvent, State } from '@mergexo/state';
import { type TakenIn, takeInIssue } from '../lifecycle/run/take-in-issue.js';
import type { Records, Repo } from '../tools.js';

/** A start command that nobody has acted on. Once MergeXO has replied to it, the text around it is an ordinary comment. */
export function isUnansweredStart(state: State, event: Pick<FeedbackEvent, 'repoId' | 'payload'>): boolean {
  const { repoId, payload } = event;
  if (parseStartCommand(payload.body) === undefined) return false;
  return state.readAction(planReply({ repoId, runId: null, remark: payload, words: '' }).id) === undefined;
}

/** Starts the flow, or replies why not. A refused command leaves the text around it to the work in progress. Inside a transaction. */
export function obeyStart(tools: Records, repo: Repo, remark: Remark, issue: Issue | undefined): void {
  const { state, now } = tools;
  const taken = issue && takeInIssue(tools, repo, issue, parseStartCommand(remark.body));
  if (taken?.kind === 'skipped') {
    replyWhyNot(tools, repo, remark, taken);
    if (hasText(remark) && state.hasLiveRun(repo.id, remark.thread)) return;
  }
  const event = { repoId: repo.id, eventKey: buildEventKey(remark) };
  state.markEventProcessed(event, now(), issue === undefined ? 'the issue is gone' : null);
}

export function hasText({ body }: Pick<Remark, 'body'>): boolean {
  return (parseCommand(body)?.rest ?? body).trim() !== '';
}

const ADVICE =
  'An operator can add the login to `allowed_users` in `mergexo.toml` and restart MergeXO, or somebody who is in it can open an issue of their own.';

/** Every command of an allowed person gets a reply, also on an issue that never had a run. */
function replyWhyNot(
  { state, now }: Records,
  repo: Repo,
  remark: Remark,
  { reason, cause }: Extract<TakenIn, { kind: 'skipped' }>,
): void {
  const [run] = state.listRunsOfIssue(repo.id, remark.thread);
  const words = [`Not started: ${neutraliseLine(reason)}.`, ...(cause === 'author' ? [ADVICE] : [])].join(
    ' ',
  );
  state.recordActions([planReply({ repoId: repo.id, runId: run?.id ?? null, remark, words })], now());
}

function planReply(reply: { repoId: number; runId: number | null; remark: Remark; words: string }): Action {
  const { remark, ...about } = reply;
  const cause = [remark.commentId, remark.updatedAt];
  return planNotice({ ...about, kind: 'command_reply', thread: remark.thread, cause });
}
