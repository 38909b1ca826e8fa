import fc from 'fast-check';
import { buildDiscussion, type DiscussionEntry } from './discussion.js';

const entry = (id: number, overrides: Partial<DiscussionEntry> = {}): DiscussionEntry => ({
  place: 'conversation',
  id,
  author: 'ada',
  role: 'OWNER',
  body: `Comment ${id}`,
  createdAt: `2026-01-02T03:04:${String(id % 60).padStart(2, '0')}Z`,
  updatedAt: '2026-01-02T03:04:05Z',
  url: 'https://github.example/c',
  threadId: null,
  path: null,
  line: null,
  isResolved: false,
  reviewState: null,
  ...overrides,
});

describe('buildDiscussion', () => {
  it('sorts comments by time, and drops empty comments', () => {
    const { entries } = buildDiscussion([entry(3), entry(1, { place: 'issue' }), entry(2, { body: ' ' })]);
    expect(entries.map(({ id }) => id)).toEqual([1, 3]);
  });

  it('cuts a long comment, and never splits a character', () => {
    const { entries } = buildDiscussion([entry(1, { body: `x${'\u{1F600}'.repeat(3_000)}` })]);
    expect(entries[0]?.body).toMatch(/\[2002 more characters were cut\]$/);
    expect(entries[0]?.body).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('keeps the newest comments that fit, and counts the others', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6_000), { maxLength: 150 }), (lengths) => {
        const all = lengths.map((length, index) =>
          entry(index + 1, { createdAt: String(index).padStart(4, '0'), body: `x${'y'.repeat(length)}` }),
        );
        const { entries, omitted } = buildDiscussion(all);
        expect(entries.length + omitted).toBe(all.length);
        expect(entries.map(({ id }) => id)).toEqual(all.slice(omitted).map(({ id }) => id));
        expect(entries.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(30_000);
        expect(entries.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
