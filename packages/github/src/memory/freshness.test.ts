import { createFreshness, versionOf } from './freshness.js';

const OLD = '2026-01-01T00:00:01Z';
const NEW = '2026-01-01T00:00:02Z';
const issue = (updatedAt: string, number = 1, repo = 'o/n') => versionOf.issue(repo, { number, updatedAt });

describe('createFreshness', () => {
  it('rejects a response that is older than an earlier one', () => {
    const freshness = createFreshness();
    expect(() => freshness.check(issue(NEW))).not.toThrow();
    expect(() => freshness.check(issue(OLD))).toThrow(/outdated version of issue o\/n#1/);
    expect(freshness.isOutdated(issue(OLD))).toBe(true);
  });

  it('accepts the same version again, and versions of other objects', () => {
    const freshness = createFreshness();
    freshness.note(issue(NEW));
    for (const version of [
      issue(NEW),
      issue(OLD, 2),
      issue(OLD, 1, 'o/other'),
      versionOf.pull('o/n', { number: 1, updatedAt: OLD }),
    ])
      expect(() => freshness.check(version)).not.toThrow();
  });

  it('reports whether a version is new, and never returns to an older one', () => {
    const freshness = createFreshness();
    const noted = [OLD, OLD, NEW, OLD, NEW].map((updatedAt) => freshness.note(issue(updatedAt)));
    expect(noted).toEqual([true, false, true, false, false]);
    expect(freshness.isOutdated(issue(OLD))).toBe(true);
  });

  it('drops the outdated rows of a list', () => {
    const freshness = createFreshness();
    freshness.note(issue(NEW));
    const rows = [
      { number: 1, updatedAt: OLD },
      { number: 2, updatedAt: OLD },
    ];
    expect(freshness.dropOutdated(rows, (row) => versionOf.issue('o/n', row))).toEqual([rows[1]]);
    expect(freshness.note(issue(OLD, 2))).toBe(false);
  });
});

describe('versionOf', () => {
  const run = (attempt: number, updatedAt: string) => versionOf.run('o/n', { id: 7, attempt, updatedAt });
  const check = (id: number) => versionOf.check('o/n', { headSha: 'abc', name: 'ci', id });
  it.each([
    ['a run that was updated', run(1, OLD), run(1, NEW)],
    ['a rerun, even at an earlier time', run(1, NEW), run(2, OLD)],
    ['the tenth rerun', run(9, OLD), run(10, OLD)],
    ['a later check', check(9), check(10)],
    [
      'a dismissed review',
      versionOf.review('o/n', { id: 7, state: 'approved' }),
      versionOf.review('o/n', { id: 7, state: 'dismissed' }),
    ],
  ])('orders %s after the earlier version', (_what, older, newer) => {
    const freshness = createFreshness();
    freshness.check(older);
    freshness.check(newer);
    expect(() => freshness.check(older)).toThrow('outdated');
  });
});
