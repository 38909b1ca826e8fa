import { buildFixMetadata, ReviewFixMetadata } from './build-fix-metadata.js';
import { buildReviewEvent, REVIEW_EVENTS } from './review-event.js';
import { anEarlierFinding } from './testing/a-finding.js';

const fix = {
  prNumber: 42,
  repo: 'acme/app',
  repoId: 99,
  branch: 'agent/impl/7-retry',
  slot: null,
  cycle: 0,
  maxFixCycles: 2,
  runId: 5,
  comments: { summary: 'One case is missing.', findings: [anEarlierFinding({ startLine: 12 })] },
};
const metadata = buildFixMetadata(fix);

describe('buildFixMetadata', () => {
  it('includes every field of a fix, and the comments as text', () => {
    expect(ReviewFixMetadata.parse(JSON.parse(JSON.stringify(metadata)))).toEqual({
      pr_number: 42,
      repo: 'acme/app',
      branch: 'agent/impl/7-retry',
      slot: null,
      fix_cycle: 0,
      max_fix_cycles: 2,
      review_comments: expect.any(String),
      implementation_run_id: 5,
      project_id: 99,
    });
    const { id, path, line, severity, category, body, suggestion } = anEarlierFinding();
    expect(JSON.parse(metadata.review_comments)).toEqual({
      summary: fix.comments.summary,
      findings: [{ id, path, start_line: 12, line, severity, category, body, suggestion }],
    });
  });

  it('accepts the largest review that an agent may return', () => {
    const large = '"'.repeat(10_000);
    const findings = Array.from({ length: 50 }, (_, id) =>
      anEarlierFinding({ id, body: large, suggestion: large }),
    );
    const { review_comments } = buildFixMetadata({ ...fix, comments: { summary: large, findings } });
    expect(ReviewFixMetadata.shape.review_comments.safeParse(review_comments).success).toBe(true);
  });
});

describe('ReviewFixMetadata', () => {
  it.each([
    ['a cycle below 0', { fix_cycle: -1 }],
    ['a repository without an owner', { repo: 'app' }],
    ['an unknown field', { worktree_path: '/tmp' }],
  ])('rejects %s', (_what, wrong) => {
    expect(ReviewFixMetadata.safeParse({ ...metadata, ...wrong }).success).toBe(false);
  });
});

describe('buildReviewEvent', () => {
  it('returns an event with the metadata that the next review reads', () => {
    const payload = { round_id: 3, head_sha: 'a'.repeat(40), metadata };
    const event = buildReviewEvent('review_fix_created', { repoId: 99, prNumber: 42 }, payload);
    expect(event).toEqual({ type: 'review_fix_created', repoId: 99, prNumber: 42, payload });
    expect(REVIEW_EVENTS.review_fix_created.parse(event.payload)).toEqual(payload);
  });
});
