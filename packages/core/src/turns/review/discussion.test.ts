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

  it('counts the older comments that it drops', () => {
    const all = Array.from({ length: 1_003 }, (_, index) =>
      entry(index + 1, { createdAt: String(index).padStart(4, '0') }),
    );
    const { entries, omitted } = buildDiscussion(all);
    expect(omitted).toBe(3);
    expect(entries[0]?.id).toBe(4);
  });
});
