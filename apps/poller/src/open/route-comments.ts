import { type Action, isSettled, planNotice, planRedirect } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import type { Remark } from '@mergexo/core/feedback';
import { renderRedirect, START_REMEDY } from '@mergexo/core/outbox';
import { isLiveRun, renderRunName } from '@mergexo/core/runs';
import type { FeedbackEvent, Pull, Run } from '@mergexo/state';
import { isUnansweredStart } from '../commands/obey-start.js';
import { explainEnded } from '../lifecycle/close-pull.js';
import { isIgnored } from '../lifecycle/takeover.js';
import type { RemarkTools } from '../threads/take-in-remark.js';
import type { Repo } from '../tools.js';

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
