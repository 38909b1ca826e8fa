import type { HistoryEntry } from '../history/history.js';
import type { Issue, Repo } from '../store/rows.js';
import { viewIssue } from '../views/issue.js';
import { viewMinimalRepo } from '../views/repo.js';
import type { RepoView, World } from '../world/world.js';
import type { Announcement } from './announcement.js';

/** Describes a change of a dependency. GitHub announces it once in the repository of each of the two issues. */
export function describeDependency(world: World, entry: HistoryEntry): Announcement[] {
  if (entry.kind !== 'write' || entry.table !== 'dependencies') return [];
  const blocked = world.store.issues.get(Number(entry.row['blockedId']));
  const blocking = world.store.issues.get(Number(entry.row['blockerId']));
  const blockedRepo = blocked && world.store.repos.get(blocked.repoId);
  const blockingRepo = blocking && world.store.repos.get(blocking.repoId);
  if (!blockedRepo || !blockingRepo) return [];
  const change = entry.op === 'delete' ? 'removed' : 'added';
  const announce = (kind: 'blocked_by' | 'blocking', repo: Repo, other: Repo): Announcement => ({
    event: 'issue_dependencies',
    repo,
    build: (view) => ({
      action: `${kind}_${change}`,
      ...viewBoth(view, { blocked, blockedRepo, blocking, blockingRepo }),
      [kind === 'blocked_by' ? 'blocking_issue_repo' : 'blocked_issue_repo']: viewMinimalRepo({
        ...view,
        repo: other,
      }),
    }),
  });
  return [announce('blocked_by', blockedRepo, blockingRepo), announce('blocking', blockingRepo, blockedRepo)];
}

type Pair = { blocked: Issue; blockedRepo: Repo; blocking: Issue; blockingRepo: Repo };

function viewBoth(view: RepoView, { blocked, blockedRepo, blocking, blockingRepo }: Pair): object {
  return {
    blocked_issue_id: blocked.id,
    blocked_issue: viewIssue({ ...view, repo: blockedRepo }, blocked),
    blocking_issue_id: blocking.id,
    blocking_issue: viewIssue({ ...view, repo: blockingRepo }, blocking),
  };
}
