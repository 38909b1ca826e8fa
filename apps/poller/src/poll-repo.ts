import { startEarly } from './in-parallel.js';
import { catchUp } from './rebuild/adopt-pull.js';
import { isPausedForSecret } from './rebuild/lost-secret.js';
import { readFirst } from './rebuild/read-first.js';
import { noteForgotten, recallForgotten } from './rebuild/recall-forgotten.js';
import { reconsiderIssues } from './rebuild/reconsider-issues.js';
import type { Repo } from './tools.js';
import { promoteMerged } from './watch/promote-merged.js';
import { type Sweeps, sweep } from './watch/sweep.js';
import { watchBlockers } from './watch/watch-blockers.js';
import { fetchChecks } from './watch/watch-checks.js';
import { fetchComments, runStartCommands } from './watch/watch-comments.js';
import { watchConflicts } from './watch/watch-conflicts.js';
import { fetchIssues } from './watch/watch-issues.js';
import { fetchPulls, type WatchTools } from './watch/watch-pulls.js';

/** Reads one repository with a few concurrent conditional requests. Only changed objects need more requests. */
export async function pollRepo(
  tools: WatchTools & { sweeps: Sweeps },
  repo: Repo,
): Promise<'polled' | 'secret-lost'> {
  if (await isPausedForSecret(tools, repo)) return 'secret-lost';
  if (tools.state.readFeed(repo.id, 'issues') === undefined) {
    const first = await readFirst(tools, repo);
    if (first !== 'rebuilt') return first === 'learned' ? 'polled' : first;
  }
  await reconsiderIssues(tools, repo);
  const comments = startEarly(() =>
    fetchComments(tools, repo, (comment) => noteForgotten(tools, repo, comment)),
  );
  // Reads comments before labels during a takeover, because later comments must not count as part of it.
  const issues = startEarly(async () => {
    if (tools.state.hasTakeovers(repo.id)) await comments;
    return fetchIssues(tools, repo);
  });
  const pulls = startEarly(() => fetchPulls(tools, repo));
  const checks = startEarly(() => fetchChecks(tools, repo));
  const swept = startEarly(() => sweep(tools, repo));
  // The order matters: labels are recorded before comments, and reviews before their line comments.
  const recordComments = await comments;
  await (await issues)();
  await (await pulls)();
  recordComments();
  (await swept)();
  await catchUp(tools, repo);
  await recallForgotten(tools, repo);
  await promoteMerged(tools, repo);
  await (await checks)();
  await watchBlockers(tools, repo);
  await watchConflicts(tools, repo);
  await runStartCommands(tools, repo);
  return 'polled';
}
