import type { Route } from '../http/call.js';
import { actionsJobRoutes } from './actions-jobs.js';
import { actionsRunRoutes } from './actions-runs.js';
import { branchRoutes } from './branches.js';
import { checkRunRoutes } from './check-runs.js';
import { commitRoutes } from './commits.js';
import { compareRoutes } from './compare.js';
import { contentRoutes } from './contents.js';
import { issueCommentRoutes } from './issue-comments.js';
import { issueLabelRoutes } from './issue-labels.js';
import { issueRoutes } from './issues.js';
import { labelRoutes } from './labels.js';
import { metaRoutes } from './meta.js';
import { pullMergeRoutes } from './pull-merge.js';
import { pullRoutes } from './pulls.js';
import { refRoutes } from './refs.js';
import { repoRoutes } from './repos.js';
import { requestedReviewerRoutes } from './requested-reviewers.js';
import { reviewCommentRoutes } from './review-comments.js';
import { reviewEventRoutes } from './review-events.js';
import { reviewRoutes } from './reviews.js';
import { statusRoutes } from './statuses.js';

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
