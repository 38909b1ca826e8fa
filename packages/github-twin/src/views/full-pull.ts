import type { Comparison } from '../git/git-repo.js';
import type { PullIssue } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { viewUserOf } from './user.js';

export type PullDetails = {
  mergeable: boolean | null;
  /** GitHub's `mergeable_state`. */
  state: string;
  compared: Comparison | undefined;
  comments: number;
  reviewComments: number;
};

/** Renders the fields that only a single pull request has. Lists lack them. */
export function viewPullDetails(context: ViewContext, issue: PullIssue, details: PullDetails) {
  const { mergeable, state, compared, comments, reviewComments } = details;
  const files = compared?.files ?? [];
  return {
    merged: issue.pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: state,
    merged_by: viewUserOf(context, issue.pull.mergedById),
    comments,
    review_comments: reviewComments,
    maintainer_can_modify: false,
    commits: compared?.aheadBy ?? 0,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}
