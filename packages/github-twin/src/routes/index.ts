import type { Route } from '../rest/call.js';
import { accountRoutes } from './accounts.js';
import { appRoutes } from './apps/app-routes.js';
import { hookRoutes } from './apps/hook-routes.js';
import { tokenRoutes } from './apps/token-routes.js';
import { actionsRoutes } from './checks/actions.js';
import { checkRunRoutes } from './checks/check-runs.js';
import { statusRoutes } from './checks/statuses.js';
import { contentRoutes } from './git/contents.js';
import { gitDataRoutes } from './git/git-data.js';
import { dependencyRoutes } from './issues/dependencies.js';
import { issueCommentRoutes } from './issues/issue-comments.js';
import { issueRoutes } from './issues/issues.js';
import { labelRoutes } from './issues/labels.js';
import { metaRoutes } from './meta.js';
import { pullRoutes } from './pulls/pulls.js';
import { requestedReviewerRoutes } from './pulls/requested-reviewers.js';
import { reactionRoutes } from './reactions.js';
import { reviewCommentRoutes } from './reviews/review-comments.js';
import { reviewRoutes } from './reviews/reviews.js';

export const restRoutes: Route[] = [
  ...metaRoutes,
  ...accountRoutes,
  ...appRoutes,
  ...hookRoutes,
  ...tokenRoutes,
  ...labelRoutes,
  ...issueRoutes,
  ...dependencyRoutes,
  ...issueCommentRoutes,
  ...pullRoutes,
  ...requestedReviewerRoutes,
  ...reviewCommentRoutes,
  ...reactionRoutes,
  ...reviewRoutes,
  ...gitDataRoutes,
  ...contentRoutes,
  ...statusRoutes,
  ...checkRunRoutes,
  ...actionsRoutes,
];
