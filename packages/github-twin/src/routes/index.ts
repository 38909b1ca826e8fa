import type { Route } from '../rest/call.js';
import { actionsJobRoutes } from './checks/actions-jobs.js';
import { actionsRunRoutes } from './checks/actions-runs.js';
import { checkRunRoutes } from './checks/check-runs.js';
import { statusRoutes } from './checks/statuses.js';
import { branchRoutes } from './git/branches.js';
import { commitRoutes } from './git/commits.js';
import { compareRoutes } from './git/compare.js';
import { contentRoutes } from './git/contents.js';
import { refRoutes } from './git/refs.js';
import { issueCommentRoutes } from './issues/issue-comments.js';
import { issueLabelRoutes } from './issues/issue-labels.js';
import { issueRoutes } from './issues/issues.js';
import { labelRoutes } from './issues/labels.js';
import { pullMergeRoutes } from './pulls/pull-merge.js';
import { pullRoutes } from './pulls/pulls.js';
import { requestedReviewerRoutes } from './pulls/requested-reviewers.js';
import { metaRoutes } from './repos/meta.js';
import { repoRoutes } from './repos/repos.js';
import { reviewCommentRoutes } from './reviews/review-comments.js';
import { reviewEventRoutes } from './reviews/review-events.js';
import { reviewRoutes } from './reviews/reviews.js';

export const restRoutes: Route[] = [
  ...metaRoutes,
  ...repoRoutes,
  ...labelRoutes,
  ...issueRoutes,
  ...issueLabelRoutes,
  ...issueCommentRoutes,
  ...pullRoutes,
  ...pullMergeRoutes,
  ...requestedReviewerRoutes,
  ...reviewCommentRoutes,
  ...reviewRoutes,
  ...reviewEventRoutes,
  ...compareRoutes,
  ...commitRoutes,
  ...refRoutes,
  ...branchRoutes,
  ...contentRoutes,
  ...statusRoutes,
  ...checkRunRoutes,
  ...actionsRunRoutes,
  ...actionsJobRoutes,
];
