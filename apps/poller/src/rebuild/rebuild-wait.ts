import { placeOfRemark, verifyBody } from '@mergexo/core/outbox';
import { parseRunName } from '@mergexo/core/runs';
import { hasLabel } from '@mergexo/core/text';
import type { Issue, IssueComment } from '@mergexo/github';
import { recordEvents } from '../lifecycle/record-events.js';
import { awaitFollowup } from '../lifecycle/run/end-start.js';
import { restoreBlock } from '../lifecycle/run/run.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { gateOf, listMetas, readLastNotice, rebuildThread, recordRun } from './rebuild-run.js';

/** Before a pull request, our last word on the issue tells what the run waits for. */
export async function rebuildWait(
  tools: ListTools,
  repo: Repo,
  issue: Issue,
  onFound: () => void,
): Promise<void> {
  const { state } = tools;
  if (state.hasLiveRun(repo.id, issue.number)) return;
  const { comments } = await tools.github.fetchThread(repo.config.fullName, issue.number);
  const last = readLastNotice(listMetas(tools, repo, issue.number, comments));
  const name = parseRunName(last?.run ?? '');
  if (name === undefined || (last?.kind !== 'wait_comment' && last?.kind !== 'block_notice')) return;
  onFound();
  const isWaiting = last.kind === 'wait_comment';
  state.transaction(() => {
    const run = recordRun(tools, repo, { ...name, branch: null, title: issue.title, body: '' });
    if (run === undefined) return;
    const reason = 'It waited when the records were lost; our last comment on the issue says for what.';
    const payload = { status: isWaiting ? 'awaiting_issue_followup' : 'blocked' };
    const about = { repoId: repo.id, runId: run.id, issueNumber: issue.number };
    recordEvents(tools, [{ type: 'state_rebuilt', ...about, payload }]);
    if (!isWaiting) {
      restoreBlock(tools, run, reason);
      return;
    }
    const branch = readBranch(tools, repo, issue.number, comments) ?? run.branch ?? '';
    const checkpoint = last.head === undefined ? null : { branch, sha: last.head };
    // When the label came is not known: whatever nobody has acted on waits until it goes.
    const isOver = hasLabel(issue.labels, repo.config.labels.ignore);
    const ignoredSince = isOver ? issue.updatedAt : null;
    awaitFollowup(tools, { ...run, branch, ignoredSince }, { waitKind: 'rebuilt', reason, checkpoint });
    rebuildThread(tools, repo, { issueNumber: issue.number, comments, consumedUpTo: gateOf(last) });
  });
}

/** Our own words name it; the title that it was made of may have changed since. */
function readBranch(
  { keys, viewer }: ListTools,
  repo: Repo,
  thread: number,
  comments: readonly IssueComment[],
): string | undefined {
  const place = placeOfRemark(repo.id, { thread, rootId: null });
  const named = comments
    .filter(({ author, body }) => viewer.ids.has(author.id) && verifyBody(body, place, keys)?.intact)
    .flatMap(({ body }) => /^What was done so far is on `(agent\/[\w./-]{1,200})`/m.exec(body)?.[1] ?? []);
  return named.at(-1);
}
