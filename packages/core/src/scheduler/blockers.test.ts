import { type Blockers, findBlockedBy, listOwnBlockers, nameBlocker } from './blockers.js';

const lib = { repo: 'acme/lib', number: 3 };

describe('the issues that block an issue', () => {
  it.each<[string, Blockers, ReturnType<typeof findBlockedBy>]>([
    ['counted but not listed yet', { count: 2, open: null, listed: 0 }, { open: [], hidden: 2 }],
    ['open', { count: 1, open: [lib], listed: 3 }, { open: [lib], hidden: 0 }],
    ['all closed, even if the count is old', { count: 1, open: [], listed: 1 }, null],
    ['partly missing from the list', { count: 2, open: [lib], listed: 1 }, { open: [lib], hidden: 1 }],
    ['removed', { count: 0, open: [], listed: 0 }, null],
  ])('can be %s', (_name, blockers, expected) => {
    expect(findBlockedBy(blockers)).toEqual(expected);
  });

  it('have a short name in their own repository, regardless of case', () => {
    expect([nameBlocker(lib, 'Acme/Lib'), nameBlocker(lib, 'acme/app')]).toEqual(['#3', 'acme/lib#3']);
    expect(listOwnBlockers({ open: [lib, { repo: 'acme/app', number: 4 }], hidden: 0 }, 'ACME/lib')).toEqual([
      3,
    ]);
  });
});
