import { createRedact, PlanParcel, type PlanResult } from '@mergexo/core';
import { buildParcel } from './build-parcel.js';
import { createMeter } from './meter.js';
import { aRepo } from './testing/a-repo.js';

const SECRET = 'hunter2-hunter2';
const task = { repo: aRepo(), branch: 'agent/bugfix/1-x', startSha: 'a'.repeat(40), meter: createMeter() };
const build = (result: PlanResult) =>
  buildParcel(createRedact([SECRET]), task, {
    words: { threadId: 't', stateSummary: `knows ${SECRET}` },
    result,
    commit: { sha: 'b'.repeat(40), bundle: Buffer.from('bundle') },
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
  ])('keeps secrets out of %s', (_name, result) => {
    const parcel = build(result);
    expect(JSON.stringify(parcel)).not.toContain(SECRET);
    expect(JSON.stringify(parcel.plan.result)).toContain('[redacted]');
    expect(PlanParcel.safeParse(parcel).success).toBe(true);
  });

  it('fits texts into a plan although agents count other units, and splits no character', () => {
    const body = `x${'\u{1F600}'.repeat(60_000)}`;
    const parcel = build({ kind: 'answer', replies: [{ commentId: 1, rootId: 1, body }], general: null });
    expect(PlanParcel.safeParse(parcel).success).toBe(true);
    expect(JSON.stringify(parcel)).not.toContain('\\ud83d"');
  });
});
