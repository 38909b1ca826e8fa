import { z } from 'zod';
import { unprocessable } from '../../basics/api-error.js';
import { touch } from '../../domain/issues.js';
import { fullName, hasPermission } from '../../domain/permissions.js';
import { findUser } from '../../domain/users.js';
import { created, ok, readBody } from '../../rest/call.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { PullIssue, User } from '../../store/rows.js';
import { viewPullSimple } from '../../views/pull.js';
import { viewUsers } from '../../views/user.js';
import { pullOf } from './pulls.js';

const path = '/pulls/{pull_number}/requested_reviewers';

export const requestedReviewerRoutes = [
  repoRoute(`GET ${path}`, (call) =>
    ok({ users: viewUsers(call, pullOf(call).pull.reviewerIds), teams: [] }),
  ),
  repoRoute(`POST ${path}`, requestReviews, 'triage'),
];

function requestReviews(call: RepoCall) {
  const issue = pullOf(call);
  const added = readReviewers(call).map((user) => checkReviewer(call, issue, user).id);
  const reviewerIds = [...new Set([...issue.pull.reviewerIds, ...added])];
  const same = reviewerIds.length === issue.pull.reviewerIds.length;
  const changed = same ? issue : touch(call.world, { ...issue, pull: { ...issue.pull, reviewerIds } });
  return created(viewPullSimple(call, changed));
}

function readReviewers(call: RepoCall): (User | undefined)[] {
  const body = readBody(call, {
    reviewers: z.array(z.string()).default([]),
    team_reviewers: z.array(z.string()).default([]),
  });
  if (body.team_reviewers.length > 0)
    throw unprocessable('Could not resolve to a node with the global id of a team.');
  return body.reviewers.map((login) => findUser(call.world, login));
}

function checkReviewer(call: RepoCall, issue: PullIssue, user: User | undefined): User {
  if (user && user.id === issue.userId)
    throw unprocessable('Review cannot be requested from pull request author.');
  const trusted =
    user?.type !== 'Bot' && user && (user.login === call.repo.owner || call.repo.permissions[user.login]);
  if (!user || !trusted || !hasPermission(call.repo, user, 'read'))
    throw unprocessable(
      `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${fullName(call.repo)} repository.`,
    );
  return user;
}
