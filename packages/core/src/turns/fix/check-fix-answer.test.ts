import fc from 'fast-check';
import { checkFixAnswer } from './check-fix-answer.js';

const answer = (...ids: readonly number[]) => ({
  findings: ids.map((id) => ({ id, resolution: 'wontfix', note: 'It is meant so.' }) as const),
});
const asked = (...ids: readonly number[]) => ({
  findings: ids.map((id) => ({ id })),
  hasChanges: true,
  mayAskAgain: true,
});

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
    const given = {
      findings: [{ id: 1, resolution: 'fixed', note: 'Stops after three attempts.' }],
    } as const;
    const [problem] = checkFixAnswer({ ...asked(1), hasChanges: false }, { findings: [...given.findings] });
    expect(problem).toMatch(/finding 1 is marked as fixed, but no file changed/);
    expect(checkFixAnswer(asked(1), { findings: [...given.findings] })).toEqual([]);
  });

  it.each(['Done.', 'Fixed, thanks!', 'Good catch, fixed.'])(
    'rejects the note "%s", but only once',
    (note) => {
      const given = { findings: [{ id: 1, resolution: 'fixed', note } as const] };
      expect(checkFixAnswer(asked(1), given)).toEqual([
        'findings: the note of finding 1 must say what you changed and where, or why you changed nothing',
      ]);
      expect(checkFixAnswer({ ...asked(1), mayAskAgain: false }, given)).toEqual([]);
    },
  );

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
