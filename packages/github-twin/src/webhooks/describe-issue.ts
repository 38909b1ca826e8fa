import { inThread, isPull } from '../domain/issues.js';
import { UNKNOWN } from '../domain/mergeability.js';
import type { Issue, PullIssue } from '../store/rows.js';
import { viewPullDetails } from '../views/full-pull.js';
import { viewComment, viewIssue, viewLabel } from '../views/issue.js';
import { viewPullSimple } from '../views/pull.js';
import { viewUserOf } from '../views/user.js';
import type { RepoView, World } from '../world/world.js';
import { type Announcement, announce, listChanges } from './announcement.js';
import { listNews, type News } from './list-news.js';
import { trackRows } from './track-rows.js';

type Describe = (id: number) => Announcement[];

/** Describes changes to issues and pull requests. */
export function createIssueDescriber(world: World): Describe {
  const track = trackRows(world.store.issues);
  return (id) => {
    const { before, after } = track(id);
    if (!after) return [];
    const about = { event: isPull(after) ? 'pull_request' : 'issues', repoId: after.repoId };
    return listNews(before, after).flatMap((news) =>
      announce(world, about, async (view) => ({
        action: news.action,
        ...(isPull(after)
          ? { number: after.number, pull_request: await viewEventPull(view, after) }
          : { issue: viewIssue(view, after) }),
        ...viewNews(view, news),
      })),
    );
  };
}

function viewNews(view: RepoView, { labelId, reviewerId, facts }: News): object {
  const label = labelId === undefined ? undefined : view.world.store.labels.get(labelId);
  const reviewer = viewUserOf(view, reviewerId ?? null);
  return {
    ...facts,
    ...(label && { label: viewLabel(view, label) }),
    ...(reviewer && { requested_reviewer: reviewer }),
  };
}

/** GitHub announces a pull request before it has computed whether the branches can be merged. */
async function viewEventPull(view: RepoView, issue: PullIssue): Promise<object> {
  const { world, repo } = view;
  const { reviews, reviewComments, comments } = world.store;
  const isHere = inThread(issue);
  const shown = reviewComments.filter(
    (row) => isHere(row) && !row.deleted && reviews.get(row.reviewId)?.state !== 'PENDING',
  );
  return {
    ...viewPullSimple(view, issue),
    ...viewPullDetails(view, issue, {
      ...UNKNOWN,
      compared: await world.gitRepo(repo).compare(issue.pull.baseSha, issue.pull.headSha),
      comments: comments.filter(isHere).length,
      reviewComments: shown.length,
    }),
  };
}

/** Describes changes to comments on issues and pull requests. */
export function createCommentDescriber(world: World): Describe {
  const track = trackRows(world.store.comments);
  return (id) => {
    const { before, after } = track(id);
    const row = after ?? before;
    if (!row) return [];
    const action = !after ? 'deleted' : before ? 'edited' : 'created';
    return announce(world, { event: 'issue_comment', repoId: row.repoId }, (view) => ({
      action,
      ...(before && after && { changes: listChanges(before, after, ['body']) }),
      issue: viewThread(view, row),
      comment: viewComment(view, row),
    }));
  };
}

function viewThread(view: RepoView, row: Pick<Issue, 'repoId' | 'number'>): object | null {
  const issue = view.world.store.issues.find(inThread(row));
  return issue ? viewIssue(view, issue) : null;
}

/** Describes new and deleted labels. The API of the twin cannot edit a label. */
export function createLabelDescriber(world: World): Describe {
  const track = trackRows(world.store.labels);
  return (id) => {
    const { before, after } = track(id);
    const row = after ?? before;
    if (!row || (before && after)) return [];
    return announce(world, { event: 'label', repoId: row.repoId }, (view) => ({
      action: after ? 'created' : 'deleted',
      label: viewLabel(view, row),
    }));
  };
}
