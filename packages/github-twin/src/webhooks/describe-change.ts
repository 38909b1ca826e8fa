import type { HistoryEntry } from '../history/history.js';
import type { World } from '../world/world.js';
import type { Announcement } from './announcement.js';
import {
  createCheckRunDescriber,
  createStatusDescriber,
  createWorkflowRunDescriber,
} from './describe-check.js';
import { describeDependency } from './describe-dependency.js';
import { createCommentDescriber, createIssueDescriber, createLabelDescriber } from './describe-issue.js';
import { describePush } from './describe-push.js';
import { createReviewCommentDescriber, createReviewDescriber } from './describe-review.js';

/** Creates a function that describes each change as GitHub announces it, without the news about installations. */
export function createDescriber(world: World): (entry: HistoryEntry) => Announcement[] {
  const byTable: Record<string, (id: number) => Announcement[]> = {
    issues: createIssueDescriber(world),
    comments: createCommentDescriber(world),
    labels: createLabelDescriber(world),
    reviews: createReviewDescriber(world),
    reviewComments: createReviewCommentDescriber(world),
    checkRuns: createCheckRunDescriber(world),
    statuses: createStatusDescriber(world),
    workflowRuns: createWorkflowRunDescriber(world),
  };
  return (entry) => {
    if (entry.kind === 'ref') return describePush(world, entry);
    if (entry.kind !== 'write') return [];
    if (entry.table === 'dependencies') return describeDependency(world, entry);
    return byTable[entry.table]?.(entry.id) ?? [];
  };
}
