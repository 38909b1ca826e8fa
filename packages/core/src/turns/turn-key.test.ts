import fc from 'fast-check';
import { buildJobId, parseJobId } from './job-id.js';
import { computeTurnKey, type TurnIdentity } from './turn-key.js';

const identity: TurnIdentity = {
  kind: 'design_feedback',
  repoId: 42,
  number: 7,
  discriminator: ['abc', '7:review:1:2026-01-01T00:00:00Z'],
  unfinishedBefore: 0,
};

describe('computeTurnKey', () => {
  it('returns the same 64 hex digits for the same turn', () => {
    expect(computeTurnKey(identity)).toBe(computeTurnKey({ ...identity }));
    expect(computeTurnKey(identity)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, Partial<TurnIdentity>]>([
    ['the kind', { kind: 'review' }],
    ['the repository', { repoId: 43 }],
    ['the number', { number: 8 }],
    ['the discriminator', { discriminator: ['abc'] }],
    ['the number of earlier unfinished turns', { unfinishedBefore: 1 }],
  ])('depends on %s', (_name, change) => {
    expect(computeTurnKey({ ...identity, ...change })).not.toBe(computeTurnKey(identity));
  });

  it('returns different keys if text moves from one field to the next', () => {
    expect(computeTurnKey({ ...identity, discriminator: ['a', 'bc'] })).not.toBe(
      computeTurnKey({ ...identity, discriminator: ['ab', 'c'] }),
    );
  });
});

describe('job ids', () => {
  it('can be parsed back into the turn and the epoch', () => {
    const turnKey = computeTurnKey(identity);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (epoch) => {
        const id = buildJobId({ turnKey, epoch });
        expect(id).not.toContain(':');
        expect(parseJobId(id)).toEqual({ turnKey, epoch });
      }),
    );
  });

  it.each([
    '',
    't-',
    't-abc-1',
    `t-${'a'.repeat(64)}-0`,
    `t-${'a'.repeat(64)}-1x`,
    `../t-${'a'.repeat(64)}-1`,
  ])('are rejected if they look like %j', (id) => expect(parseJobId(id)).toBeUndefined());
});
