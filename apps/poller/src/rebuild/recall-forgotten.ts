import { Failure } from '@mergexo/core/basics';
import { findDistrust } from '@mergexo/core/runs';
import type { IssueComment } from '@mergexo/github';
import { readRebuiltAt } from '../lifecycle/database-age.js';
import { findIssue } from '../threads/find-issue.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { rebuildWait } from './rebuild-wait.js';

/** After a database loss, schedules a search for earlier work if an allowed user comments on an unknown issue. */
export function noteForgotten({ state, now }: ListTools, repo: Repo, comment: IssueComment): void {
  const { thread, onPullRequest, author } = comment;
  const isAlien = onPullRequest || findDistrust(author, repo.config.allowedUsers) !== undefined;
  if (isAlien || readRebuiltAt(state, repo.id) === null) return;
  if (state.listRunsOfIssue(repo.id, thread).length > 0) return;
  state.recordTask({ repoId: repo.id, kind: 'recall_issue', number: thread }, now());
}

export async function recallForgotten(tools: ListTools, repo: Repo): Promise<void> {
  const { state, github, now, log } = tools;
  for (const task of state.listPendingTasks(repo.id, 'recall_issue')) {
    const { number } = task;
    try {
      const issue = await findIssue(github, repo, number);
      if (issue?.open) await rebuildWait(tools, repo, { issue, onFound: () => {} });
      state.transaction(() => state.markTaskDone(task, now()));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
      // An unreadable issue does not delay the others.
      log.warn(
        { issue_number: number, err: error },
        'could not search an issue for earlier work; MergeXO retries in the next cycle',
      );
    }
  }
}
