import { catchUp } from './rebuild/adopt-pull.js';
import { isPausedForSecret } from './rebuild/lost-secret.js';
import { readFirst } from './rebuild/read-first.js';
import { noteForgotten, recallForgotten } from './rebuild/recall-forgotten.js';
import { rejudgeIssues } from './rebuild/rejudge-issues.js';
import type { Repo } from './tools.js';
import { promoteMerged } from './watch/promote-merged.js';
import { watchChecks } from './watch/watch-checks.js';
import { fetchComments, obeyStartCommands } from './watch/watch-comments.js';
import { watchConflicts } from './watch/watch-conflicts.js';
import { watchIssues } from './watch/watch-issues.js';
import { type WatchTools, watchPulls } from './watch/watch-pulls.js';

/** Reads one repository: a handful of conditional requests, and more only for objects that changed. */
export async function pollRepo(tools: WatchTools, repo: Repo): Promise<'polled' | 'secret-lost'> {
  if (await isPausedForSecret(tools, repo)) return 'secret-lost';
  if (tools.state.readFeed(repo.id, 'issues') === undefined) {
    const first = await readFirst(tools, repo);
    if (first === 'secret-lost') return first;
  }
  await rejudgeIssues(tools, repo);
  // Fetched before the labels and recorded after them, so that a comment right after the end of a takeover counts.
  const recordComments = await fetchComments(tools, repo, (comment) => noteForgotten(tools, repo, comment));
  await watchIssues(tools, repo);
  // Reviews before the comments on lines that belong to them, so that a review is recorded whole.
  await watchPulls(tools, repo);
  recordComments();
  await catchUp(tools, repo);
  await recallForgotten(tools, repo);
  await promoteMerged(tools, repo);
  await watchChecks(tools, repo);
  await watchConflicts(tools, repo);
  await obeyStartCommands(tools, repo);
  return 'polled';
}
