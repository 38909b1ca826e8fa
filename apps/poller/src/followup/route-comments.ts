import {
  type Action,
  failpoint,
  isLiveRun,
  isSettled,
  planNotice,
  planRedirect,
  type Remark,
  renderRedirect,
  renderRunName,
  START_REMEDY,
} from '@mergexo/core';
import type { FeedbackEvent, Pull, Run } from '@mergexo/state';
import { explainEnded } from '../feedback/close-pull.js';
import type { RemarkTools } from '../feedback/take-in-remark.js';
import { isIgnored } from '../feedback/takeover.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { nameOf } from './end-start.js';
import { isUnansweredStart } from './obey-start.js';

/** With its pull request open, a comment on the issue is answered with the way there, once. No worker is needed for it. */
export function routeComments(tools: RemarkTools, repo: Repo): void {
  const { state } = tools;
  const pending = state
    .listPendingEvents(repo.id)
    .filter((event) => event.turnKey === null && event.kind === 'issue' && !isUnansweredStart(state, event))
    .filter(({ prNumber: thread }) => state.readPull(repo.id, thread) === undefined);
  let planned = false;
  for (const event of pending) {
    const runs = state.listRunsOfIssue(repo.id, event.issueNumber);
    const run = runs.find(isLiveRun) ?? runs[0];
    if (run !== undefined) planned = state.transaction(() => route(tools, repo, event, run)) || planned;
  }
  if (planned) failpoint('poller:redirect-planned');
}

function route(tools: RemarkTools, repo: Repo, event: FeedbackEvent, run: Run): boolean {
  const { state, now } = tools;
  if (!isLiveRun(run)) {
    state.markEventProcessed(event, now(), explainEnded(run));
    return false;
  }
  // The comment waits until the routing is on.
  if (!repo.config.enableIssueCommentRouting) return false;
  if (run.status === 'blocked' && run.prNumber === null) tellBlocked(tools, run);
  const pull = run.prNumber === null ? undefined : state.readPull(run.repoId, run.prNumber);
  if (pull === undefined || isIgnored(pull)) return false;
  const redirect = buildRedirect(run, pull, event.payload);
  const known = state.readAction(redirect.id);
  // An edit of a comment that was redirected is no reason to say it again.
  if (known !== undefined && isSettled(known))
    state.markEventProcessed(event, now(), 'it was redirected before');
  else state.recordActions([redirect], now());
  return known === undefined;
}

/** Once per block: the comment is kept, but only an operator lets the work go on. */
function tellBlocked({ state, now }: RemarkTools, run: Run): void {
  const { repoId, id: runId, issueNumber } = run;
  const words = `The work on this is blocked, so nobody acts on comments now; they are kept. ${START_REMEDY}`;
  const cause = [renderRunName(run), 'blocked', run.clearedAt];
  const notice = planNotice({ kind: 'command_reply', repoId, runId, thread: issueNumber, cause, words });
  state.recordActions([notice], now());
}

function buildRedirect(
  { repoId, id: runId, issueNumber }: Run,
  pull: Pull,
  { commentId, url }: Remark,
): Action {
  const words = renderRedirect({ number: pull.prNumber, url: pull.url ?? '' }, url);
  return planRedirect({ repoId, runId, issueNumber, commentId, words });
}

/** The redirect is on GitHub, or never will be: only now the comment is done with and the cursor moves. Inside a transaction. */
export function finishRedirect(
  tools: Pick<RemarkTools, 'state' | 'now' | 'log'>,
  run: Run,
  { commentId, said }: { commentId: number; said: boolean },
): void {
  const { state, now } = tools;
  const { repoId, id: runId, issueNumber, prNumber } = run;
  const pending = state
    .listUnclaimedEvents(repoId, issueNumber)
    .filter((event) => event.commentId === commentId && event.kind === 'issue');
  for (const event of pending)
    state.markEventProcessed(event, now(), said ? null : 'GitHub took no redirect');
  if (!said) return;
  state.moveCommentCursors(repoId, issueNumber, { postPrLastRedirectedCommentId: commentId }, now());
  recordEvents(tools, [
    {
      type: 'source_issue_comment_redirected',
      repoId,
      runId,
      issueNumber,
      prNumber,
      payload: {
        repo_full_name: nameOf(state, repoId),
        comment_count: 1,
        first_comment_id: commentId,
        last_comment_id: commentId,
      },
    },
  ]);
}
