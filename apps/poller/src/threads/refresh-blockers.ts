import { type BlockedBy, findBlockedBy } from '@mergexo/core/scheduler';
import type { GitHub } from '@mergexo/github';
import type { Records, Repo } from '../tools.js';
import { findIssue } from './find-issue.js';

export type BlockerTools = Records & { github: Pick<GitHub, 'fetchBlockers' | 'fetchIssue'> };

/**
 * Lists what blocks an issue, with one conditional request, and records it. If GitHub counts more blockers than its list
 * contains, the issue is read as well, because the recorded count may be old. Returns null if nothing blocks the issue.
 */
export async function refreshBlockers(
  tools: BlockerTools,
  repo: Repo,
  { number, count }: { number: number; count: number },
): Promise<BlockedBy | null> {
  const { state, github } = tools;
  const known = state.readBlockers(repo.id, number);
  const page = await github.fetchBlockers(repo.config.fullName, number, known?.etag ?? null);
  const { open, listed, etag } =
    page.kind === 'unchanged' && known !== undefined
      ? known
      : toListed(page.kind === 'changed' ? page : undefined);
  const isHidden = count > listed;
  const latest = isHidden ? ((await findIssue(github, repo, number))?.blockedBy ?? 0) : count;
  const blockers = { count: latest, open, listed };
  const blockedBy = findBlockedBy(blockers);
  state.transaction(() => {
    // The issues feed may have reported in the meantime that nothing blocks the issue any more.
    if (known !== undefined && state.readBlockers(repo.id, number) === undefined) return;
    if (blockedBy === null) state.deleteBlockers(repo.id, number);
    else
      state.saveBlockers({ repoId: repo.id, issueNumber: number, ...blockers, etag, listedAt: tools.now() });
  });
  return blockedBy;
}

type Page = Extract<Awaited<ReturnType<GitHub['fetchBlockers']>>, { kind: 'changed' }>;

function toListed(page: Page | undefined) {
  const { rows, etag } = page ?? { rows: [], etag: null };
  const open = rows.filter((row) => row.open).map(({ repo, number }) => ({ repo, number }));
  return { open, listed: rows.length, etag };
}
