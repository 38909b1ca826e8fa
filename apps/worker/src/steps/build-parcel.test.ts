import { createRedact } from '@mergexo/core/text';
import { PlanParcel, type PlanResult } from '@mergexo/core/turns';
import { createMeter } from './ask/meter.js';
import { buildParcel } from './build-parcel.js';
import { aRepo } from './testing/a-repo.js';

const SECRET = 'hunter2-hunter2';
const task = {
  agent: aRepo().agent,
  branch: 'agent/bugfix/1-x',
  startSha: 'a'.repeat(40),
  meter: createMeter({ adapter: 'command', model: undefined }),
};
const FINDING = {
  path: `src/${SECRET}.ts`,
  startLine: null,
  line: 1,
  severity: 'high',
  category: 'security',
  body: `is ${SECRET}`,
  suggestion: `is ${SECRET}`,
} as const;
const hasCommits = ({ kind }: PlanResult): boolean => kind !== 'review' && kind !== 'fix';
const build = (result: PlanResult, isCommitted = true) =>
  buildParcel(createRedact([SECRET]), task, {
    session: { threadId: 't', stateSummary: `knows ${SECRET}` },
    result,
    commit: isCommitted ? { sha: 'b'.repeat(40), bundle: Buffer.from('bundle') } : null,
  });

describe('buildParcel', () => {
  it.each<[string, PlanResult]>([
    [
      'an answer',
      {
        kind: 'answer',
        replies: [{ commentId: 1, rootId: 1, body: `is ${SECRET}` }],
        general: `is ${SECRET}`,
      },
    ],
    ['a block', { kind: 'block', blockKind: 'tests_failed', reason: `is ${SECRET}`, observedSha: null }],
    ['a wait', { kind: 'wait', waitKind: 'tests_failed', reason: `is ${SECRET}` }],
    [
      'a pull request',
      {
        kind: 'pull',
        title: `is ${SECRET}`,
        summary: `is ${SECRET}`,
        design: { path: 'd.md', priority: 1, touchPaths: [SECRET], dependsOn: [], estimatedSize: 'S' },
      },
    ],
    [
      'a review',
      {
        kind: 'review',
        headSha: 'a'.repeat(40),
        summary: `is ${SECRET}`,
        raised: [
          { ...FINDING, fingerprint: 'f1', origin: 'new', earlierId: null, status: 'open', verified: true },
        ],
        notes: [{ finding: FINDING, reason: 'the change did not introduce it' }],
        refuted: [{ finding: FINDING, reason: `is ${SECRET}` }],
        dropped: [{ finding: FINDING, reason: 'the reviewer reported it twice in this round' }],
        answers: [{ id: 3, status: 'fixed', evidence: `is ${SECRET}` }],
        gone: [3],
        placement: { inline: ['f1'], demoted: [], standing: [], nits: [], hidden: [] },
      },
    ],
    [
      'a fix that failed',
      {
        kind: 'fix',
        answers: [{ id: 1, resolution: 'wontfix', note: `is ${SECRET}`, touchesFile: false }],
        summary: `is ${SECRET}`,
        failure: { cause: 'other', reason: `is ${SECRET}` },
      },
    ],
  ])('keeps secrets out of %s', (_name, result) => {
    const parcel = build(result, hasCommits(result));
    expect(JSON.stringify(parcel)).not.toContain(SECRET);
    expect(JSON.stringify(parcel.plan.result)).toContain('[redacted]');
    expect(PlanParcel.safeParse(parcel).success).toBe(true);
  });

  it('stores no session if the agent was not asked', () => {
    const parts = {
      session: null,
      result: { kind: 'wait', waitKind: 'rebuilt', reason: '' },
      commit: null,
    } as const;
    expect(buildParcel(createRedact([]), task, parts).plan).toMatchObject({
      session: null,
      stateSummary: '',
    });
  });

  it('cuts texts to the limits of a plan even if the agent counted code points, and never splits a character', () => {
    const body = `x${'\u{1F600}'.repeat(60_000)}`;
    const parcel = build({ kind: 'answer', replies: [{ commentId: 1, rootId: 1, body }], general: null });
    expect(PlanParcel.safeParse(parcel).success).toBe(true);
    expect(JSON.stringify(parcel)).not.toContain('\\ud83d"');
  });
});
