import type { HistoryEntry } from '../history/history.js';
import type { Issue, PullIssue, Repo } from '../store/rows.js';
import { viewRun } from '../views/actions.js';
import { viewComment, viewIssue } from '../views/issue.js';
import { viewPullSimple } from '../views/pull.js';
import { viewReview, viewReviewComment } from '../views/review.js';
import type { RepoView, World } from '../world/world.js';
import { nameAction } from './name-action.js';

export type Announcement = {
  event: string;
  repo: Repo;
  /** The parts of the payload that depend on the event. */
  build: (view: RepoView) => object | Promise<object>;
};

/** Creates a function that describes each change as GitHub announces it; undefined if GitHub announces nothing. */
export function createDescriber(world: World): (entry: HistoryEntry) => Announcement | undefined {
  const { store } = world;
  const known = new Map<number, Issue>();
  const announce = (
    event: string,
    repoId: number | undefined,
    build: Announcement['build'],
  ): Announcement | undefined => {
    const repo = repoId === undefined ? undefined : store.repos.get(repoId);
    return repo && { event, repo, build };
  };
  const describeIssue = (id: number): Announcement | undefined => {
    const issue = store.issues.get(id);
    if (issue === undefined) return undefined;
    const action = nameAction(known.get(id), issue);
    known.set(id, issue);
    if (action === undefined) return undefined;
    return announce(issue.pull ? 'pull_request' : 'issues', issue.repoId, (view) => ({
      action,
      ...(isPull(issue)
        ? { number: issue.number, pull_request: viewPullSimple(view, issue) }
        : { issue: viewIssue(view, issue) }),
    }));
  };
  const describeWrite = (table: string, id: number, isNew: boolean): Announcement | undefined => {
    const action = isNew ? 'created' : 'edited';
    if (table === 'issues') return describeIssue(id);
    if (table === 'comments') {
      const row = store.comments.get(id);
      return announce('issue_comment', row?.repoId, (view) => ({
        action,
        ...(row && { issue: findThread(view, row.number), comment: viewComment(view, row) }),
      }));
    }
    if (table === 'reviews') {
      const row = store.reviews.get(id);
      if (row?.state === 'PENDING') return undefined;
      return announce('pull_request_review', row?.repoId, (view) => ({
        action: 'submitted',
        ...(row && { review: viewReview(view, row), pull_request: findPull(view, row.number) }),
      }));
    }
    if (table === 'reviewComments') {
      const row = store.reviewComments.get(id);
      return announce('pull_request_review_comment', row?.repoId, async (view) => ({
        action,
        ...(row && { comment: await viewReviewComment(view, row), pull_request: findPull(view, row.number) }),
      }));
    }
    if (table === 'workflowRuns') {
      const row = store.workflowRuns.get(id);
      return announce('workflow_run', row?.repoId, async (view) => ({
        action: row?.status === 'completed' ? 'completed' : 'requested',
        ...(row && {
          workflow_run: viewRun(view, row, await world.gitRepo(view.repo).readCommit(row.sha)),
        }),
      }));
    }
    return undefined;
  };
  return (entry) => {
    if (entry.kind === 'write')
      return entry.op === 'delete' ? undefined : describeWrite(entry.table, entry.id, entry.op === 'create');
    if (entry.kind !== 'ref') return undefined;
    const repo = store.repos.find(({ owner, name }) => `${owner}/${name}` === entry.repo);
    const { ref, before, after, forced } = entry;
    return announce('push', repo?.id, () => ({ ref, before, after, forced }));
  };
}

const isPull = (issue: Issue): issue is PullIssue => issue.pull !== null;

function findIssue({ world, repo }: RepoView, number: number): Issue | undefined {
  return world.store.issues.find((issue) => issue.repoId === repo.id && issue.number === number);
}

function findThread(view: RepoView, number: number): object | undefined {
  const issue = findIssue(view, number);
  return issue && viewIssue(view, issue);
}

function findPull(view: RepoView, number: number): object | undefined {
  const issue = findIssue(view, number);
  return issue && isPull(issue) ? viewPullSimple(view, issue) : undefined;
}
