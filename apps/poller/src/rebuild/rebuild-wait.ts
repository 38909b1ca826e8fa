import { parseRunName } from '@mergexo/core/runs';
import { hasLabel } from '@mergexo/core/text';
import type { Issue } from '@mergexo/github';
import { recordEvents } from '../lifecycle/record-events.js';
import { awaitFollowup } from '../lifecycle/run/end-start.js';
import { restoreBlock } from '../lifecycle/run/run.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { listMetas, readGate, readLastNotice, rebuildThread, recordRun } from './rebuild-run.js';

/** Restores a waiting or blocked run without a pull request from our latest notice on the issue. */
export async function rebuildWait(
  tools: ListTools,
  repo: Repo,
  { issue, onFound }: { issue: Issue; onFound: () => void },
): Promise<void> {
  const { state } = tools;
  if (state.hasLiveRun(repo.id, issue.number)) return;
  const { comments } = await tools.github.fetchThread(repo.config.fullName, issue.number);
  const metas = listMetas(tools, repo, { thread: issue.number, comments });
  const last = readLastNotice(metas);
  const name = parseRunName(last?.run ?? '');
  if (name === undefined || (last?.kind !== 'wait_comment' && last?.kind !== 'block_notice')) return;
  onFound();
  const isWaiting = last.kind === 'wait_comment';
  state.transaction(() => {
    const run = recordRun(tools, repo, { ...name, branch: null, title: issue.title, body: '' });
    if (run === undefined) return;
    const reason =
      'The database was lost while the run waited. The last MergeXO comment on the issue has the reason.';
    const payload = { status: isWaiting ? 'awaiting_issue_followup' : 'blocked' };
    const about = { repoId: repo.id, runId: run.id, issueNumber: issue.number };
    recordEvents(tools, [{ type: 'state_rebuilt', ...about, payload }]);
    if (!isWaiting) {
      restoreBlock(tools, run, reason);
      return;
    }
    // Prefers the signed branch name, because the issue title in the default name may have changed.
    const branch =
      metas.find(({ run: named, branch }) => named === last.run && branch !== undefined)?.branch ??
      run.branch ??
      '';
    const checkpoint = last.head === undefined ? null : { branch, sha: last.head };
    // The start of the takeover is unknown, so all existing comments stay pending until the label is removed.
    const isOver = hasLabel(issue.labels, repo.config.labels.ignore);
    const ignoredSince = isOver ? issue.updatedAt : null;
    awaitFollowup(tools, { ...run, branch, ignoredSince }, { waitKind: 'rebuilt', reason, checkpoint });
    rebuildThread(tools, repo, { issueNumber: issue.number, comments, consumedUpTo: readGate(last) });
  });
}
