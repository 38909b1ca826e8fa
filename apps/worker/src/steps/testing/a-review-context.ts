import type { EarlierReviewFinding, ReviewContext, ReviewFixContext } from '@mergexo/core/turns';
import { aFeedbackContext } from './a-feedback-context.js';

const { repo, flow, branch, designDocPath, headSha, pull, issue, checks, linked, unreadLinks } =
  aFeedbackContext();
const discussion = { entries: [], omitted: 0 };
const ABOUT = {
  repo,
  flow,
  branch,
  designDocPath,
  headSha,
  pull,
  issue,
  checks,
  linked,
  unreadLinks,
  discussion,
};

export function anEarlierFinding(overrides: Partial<EarlierReviewFinding> = {}): EarlierReviewFinding {
  return {
    id: 1,
    fingerprint: 'f1',
    path: 'src/b.txt',
    startLine: null,
    line: 2,
    severity: 'high',
    category: 'edge_cases',
    body: 'The second upload is never stopped by anything.',
    suggestion: null,
    status: 'open',
    note: null,
    lastRound: 1,
    ...overrides,
  };
}

/** The context of a pull request's first review round. */
export function aReviewContext(overrides: Partial<ReviewContext> = {}): ReviewContext {
  return {
    ...ABOUT,
    reviewedSha: null,
    round: 1,
    earlier: [],
    policy: { blockingSeverity: 'high', maxFindings: 20, verify: false },
    fixesLeft: 2,
    ...overrides,
  };
}

/** The context of a review that requested changes, with two findings. */
export function aReviewFixContext(overrides: Partial<ReviewFixContext> = {}): ReviewFixContext {
  return {
    ...ABOUT,
    metadata: {
      pr_number: 3,
      repo: 'acme/app',
      branch: ABOUT.branch,
      slot: null,
      fix_cycle: 0,
      max_fix_cycles: 2,
      review_comments: '{}',
      implementation_run_id: 1,
      project_id: 1,
    },
    review: {
      body: 'REVIEW_RESULT: changes_requested',
      url: 'https://github.example/acme/app/pull/3#pullrequestreview-5',
    },
    findings: [
      {
        id: 11,
        path: 'src/b.txt',
        startLine: null,
        line: 1,
        severity: 'high',
        category: 'edge_cases',
        body: 'The first line is wrong.',
        suggestion: 'better',
      },
      {
        id: 12,
        path: 'README.md',
        startLine: null,
        line: null,
        severity: 'medium',
        category: 'quality',
        body: 'It says nothing.',
        suggestion: null,
      },
    ],
    session: { adapter: 'command', threadId: 'thread-7' },
    stateSummary: 'The crash is fixed in a.txt.',
    ...overrides,
  };
}
