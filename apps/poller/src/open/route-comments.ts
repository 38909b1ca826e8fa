import { type Action, isSettled, planNotice } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import type { Remark } from '@mergexo/core/feedback';
import { renderRedirect, START_REMEDY } from '@mergexo/core/outbox';
import { isLiveRun, renderRunName } from '@mergexo/core/runs';
import type { FeedbackEvent, Pull, Run } from '@mergexo/state';
import { isUnansweredStart } from '../commands/run-start-command.js';
import { recordNotice } from '../lifecycle/action.js';
import { explainEnded } from '../lifecycle/close-pull.js';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import { isIgnored } from '../lifecycle/takeover.js';
import type { RemarkTools } from '../threads/record-remark.js';
import type { Repo } from '../tools.js';

/**
 * Replies once to each comment on an issue with an open pull request, and links to the pull request. Needs no worker.
 */
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
    if (run !== undefined) planned = state.transaction(() => route(tools, repo, { event, run })) || planned;
  }
  if (planned) failpoint('poller:redirect-planned');
}

function route(tools: RemarkTools, repo: Repo, { event, run }: { event: FeedbackEvent; run: Run }): boolean {
  const { state, now } = tools;
  if (!isLiveRun(run)) {
    state.markEventProcessed(event, now(), explainEnded(run));
    return false;
  }
  // The comment stays pending until an operator enables routing.
  if (!repo.config.enableIssueCommentRouting) return false;
  if (run.status === 'blocked' && run.prNumber === null) tellBlocked(tools, run);
  const pull = readPullOf(state, run);
  if (pull === undefined || isIgnored(pull)) return false;
  const redirect = buildRedirect(run, pull, event.payload);
  const known = state.readAction(redirect.id);
  // An edited comment does not get a second redirect.
  if (known !== undefined && isSettled(known)) state.markEventProcessed(event, now(), { code: 'redirected' });
  else state.recordActions([redirect], now());
  return known === undefined;
}

/** Replies once per block. MergeXO keeps the comments until an operator resumes the work. */
function tellBlocked(tools: RemarkTools, run: Run): void {
  const { repoId, id: runId, issueNumber } = run;
  const text = `MergeXO keeps this comment, but cannot act on it while the work is blocked. ${START_REMEDY}`;
  const cause = [renderRunName(run), 'blocked', run.clearedAt];
  const about = { repoId, runId, thread: issueNumber, cause };
  recordNotice(tools, { ...about, kind: 'command_reply', payload: { text } });
}

function buildRedirect(
  { repoId, id: runId, issueNumber }: Run,
  pull: Pull,
  { commentId, url }: Remark,
): Action {
  const text = renderRedirect({ number: pull.prNumber, url: pull.url ?? '' }, url);
  const about = { repoId, runId, thread: issueNumber, commentId, cause: [commentId] };
  return planNotice({ kind: 'redirect', ...about, payload: { text } });
}
