import fc from 'fast-check';
import { aFinding } from '../testing/a-finding.js';
import { fingerprintFinding } from './fingerprint-finding.js';

const code = (lineText: string | undefined, ordinal = 0) => ({ lineText, ordinal });
const print = (overrides: Parameters<typeof aFinding>[0], place = code('  if (tries > 3) throw error;')) =>
  fingerprintFinding(aFinding(overrides), place);

describe('fingerprintFinding', () => {
  it.each([
    ['another line number', { line: 99 }],
    ['other words', { body: 'Compare with >= instead.' }],
    ['another severity', { severity: 'low' }],
    ['another suggestion', { suggestion: 'x' }],
  ] as const)('stays the same with %s', (_what, overrides) => {
    expect(print(overrides)).toBe(print({}));
  });

  it('ignores indentation', () => {
    expect(print({}, code('\tif (tries > 3)  throw error;\r'))).toBe(print({}));
  });

  it.each([
    ['another file', print({ path: 'src/other.ts' })],
    ['another category', print({ category: 'security' })],
    ['other code', print({}, code('if (tries > 4) throw error;'))],
    ['the second finding at the same place', print({}, code('  if (tries > 3) throw error;', 1))],
    ['a missing line of code', print({}, code(undefined))],
  ])('changes with %s', (_what, other) => {
    expect(other).not.toBe(print({}));
  });

  it.each([undefined, '', '  }', '} else {', '});', '// ——'])(
    'uses the first sentence if the line is %j',
    (lineText) => {
      const place = code(lineText);
      const told = print({ body: '**No test** covers line 14. It should.' }, place);
      expect(told).toBe(print({ body: 'no test covers line 77.\n\nMore.' }, place));
      expect(told).not.toBe(print({ body: 'No test covers the timeout. It should.' }, place));
    },
  );

  it('returns a short fingerprint that depends only on the input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.nat(),
        (body, lineText, ordinal) => {
          const place = { lineText, ordinal };
          expect(print({ body }, place)).toMatch(/^[0-9a-f]{32}$/);
          expect(print({ body }, place)).toBe(print({ body }, place));
        },
      ),
    );
  });
});
