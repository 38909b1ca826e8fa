import fc from 'fast-check';
import { checkFixAnswer } from './check-fix-answer.js';

const answer = (...ids: readonly number[]) => ({
  findings: ids.map((id) => ({ id, resolution: 'wontfix', note: 'n' }) as const),
});
const asked = (...ids: readonly number[]) => ({ findings: ids.map((id) => ({ id })), hasChanges: true });

describe('checkFixAnswer', () => {
  it.each([
    ['one answer per finding', asked(1, 2), answer(2, 1), []],
    ['no findings', asked(), answer(), []],
    ['a missing answer', asked(1, 2), answer(1), ['findings: finding 2 has no answer']],
    [
      'an answer to an unknown finding',
      asked(1),
      answer(1, 9),
      ['findings: 9 is not one of the findings of this review'],
    ],
    [
      'a finding answered twice',
      asked(1),
      answer(1, 1, 1),
      ['findings: finding 1 is answered more than once'],
    ],
  ])('with %s, returns %j', (_what, wanted, given, problems) => {
    expect(checkFixAnswer(wanted, given)).toEqual(problems);
  });

  it('rejects a fix without a change', () => {
    const given = { findings: [{ id: 1, resolution: 'fixed', note: 'done' }] } as const;
    const [problem] = checkFixAnswer(
      { findings: [{ id: 1 }], hasChanges: false },
      { findings: [...given.findings] },
    );
    expect(problem).toMatch(/finding 1 is marked as fixed, but no file changed/);
    expect(checkFixAnswer(asked(1), { findings: [...given.findings] })).toEqual([]);
  });

  it('accepts an answer only if it answers each finding exactly once', () => {
    const ids = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 6 })), ids, (wanted, given) => {
        const isExact = given.length === wanted.length && wanted.every((id) => given.includes(id));
        expect(checkFixAnswer(asked(...wanted), answer(...given)).length === 0).toBe(isExact);
      }),
    );
  });
});
