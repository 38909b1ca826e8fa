import { Failure } from '@mergexo/core/basics';
import { explainDistrust } from '@mergexo/core/runs';
import type { IssueComment } from '@mergexo/github';
import { readRebuiltAt } from '../lifecycle/database-age.js';
import { findIssue } from '../threads/find-issue.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { rebuildWait } from './rebuild-wait.js';

/** After a loss of the records, work that no label asks for is looked for when somebody speaks to it, once. */
export function noteForgotten({ state, now }: ListTools, repo: Repo, comment: IssueComment): void {
  const { thread, onPullRequest, author } = comment;
  const isAlien = onPullRequest || explainDistrust(author, repo.config.allowedUsers) !== undefined;
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
      if (issue?.open) await rebuildWait(tools, repo, issue, () => {});
      state.transaction(() => state.markTaskDone(task, now()));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
      // One thread that cannot be read holds up nothing else.
      log.warn({ issue_number: number, err: error }, 'an issue could not be looked at for forgotten work');
    }
  }
}
