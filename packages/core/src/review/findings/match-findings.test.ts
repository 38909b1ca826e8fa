import fc from 'fast-check';
import { REVIEW_CATEGORIES } from '../../turns/review/review-output.js';
import { aFinding, anEarlierFinding } from '../testing/a-finding.js';
import type { EarlierFinding, ReportedFinding } from './finding.js';
import { type Matched, matchFindings } from './match-findings.js';
import type { DiffLines } from './read-hunks.js';

const PATH = 'src/upload.ts';
const diff = (...texts: readonly string[]): DiffLines =>
  new Map([[PATH, new Map(texts.map((text, index) => [index + 1, text]))]]);
const kinds = ({ matches }: Matched) => matches.map(({ kind }) => kind);

/** Converts the findings to the form in which they are recorded after a round. */
const record = ({ matches }: Matched, status: EarlierFinding['status'] = 'open'): EarlierFinding[] =>
  matches.map(({ finding: { introduced: _, ...finding }, fingerprint }, index) => ({
    ...finding,
    id: index + 1,
    fingerprint,
    status,
    lastRound: 1,
  }));

describe('matchFindings', () => {
  const finding = aFinding({ line: 2 });
  const before = diff('const tries = 0;', 'if (tries > 3) throw error;');
  const after = diff('import x;', '', 'const tries = 0;', '  if (tries > 3) throw error;');
  const earlier = record(matchFindings([finding], [], before));

  it.each([
    ['on the same code, moved and in other words', aFinding({ line: 4, body: 'Off by one.' })],
    [
      'on changed code, in similar words',
      aFinding({ line: 1, body: 'The fourth try is still never stopped.' }),
    ],
    ['without a line, in similar words', aFinding({ line: null })],
    ['in the same words under another category', aFinding({ line: null, category: 'quality' })],
  ])('recognises a finding %s', (_how, again) => {
    const { matches } = matchFindings([again], earlier, after);
    expect(matches).toEqual([
      { kind: 'known', finding: again, fingerprint: earlier[0]?.fingerprint, earlier: earlier[0] },
    ]);
  });

  it.each([
    ['in another file', aFinding({ path: 'src/other.ts' })],
    ['on other code, in other words', aFinding({ line: 1, body: 'Nothing resets the counter.' })],
    [
      'on the same code under another category, in other words',
      aFinding({ line: 4, category: 'security', body: 'Leaks.' }),
    ],
  ])('treats a finding %s as new', (_how, other) => {
    expect(kinds(matchFindings([other], earlier, after))).toEqual(['new']);
  });

  it.each([
    ['open', 'known'],
    ['wontfix', 'known'],
    ['disputed', 'known'],
    ['dismissed', 'known'],
    ['fixed', 'regressed'],
  ] as const)('classifies a %s finding that is raised again as %s', (status, kind) => {
    const recorded = [anEarlierFinding({ status })];
    expect(kinds(matchFindings([aFinding()], recorded, new Map()))).toEqual([kind]);
  });

  it('keeps a more severe finding on a line where a person dismissed a minor one', () => {
    const small = aFinding({ line: 2, severity: 'low', body: 'The name says nothing.' });
    const dismissed = record(matchFindings([small], [], before), 'dismissed');
    const grave = aFinding({ line: 2, severity: 'critical', body: 'Anybody can delete every upload here.' });
    expect(kinds(matchFindings([grave], dismissed, before))).toEqual(['new']);
    expect(kinds(matchFindings([{ ...small, severity: 'critical' }], dismissed, before))).toEqual(['known']);
    expect(kinds(matchFindings([{ ...grave, severity: 'low' }], dismissed, before))).toEqual(['known']);
  });

  it('drops duplicates, but keeps two different findings on one line', () => {
    const twice = [finding, aFinding({ line: 2, body: 'The fourth try never gets stopped.' })];
    expect(matchFindings(twice, [], before)).toMatchObject({
      matches: [{ finding }],
      duplicates: [twice[1]],
    });
    const two = [finding, aFinding({ line: 2, body: 'A negative number passes.' })];
    const matched = matchFindings(two, [], before);
    expect(kinds(matched)).toEqual(['new', 'new']);
    const rounds = matchFindings(two.toReversed(), record(matched), before);
    expect(rounds.matches.map(({ earlier }) => earlier?.body)).toEqual([two[1]?.body, two[0]?.body]);
  });

  it('matches findings with the same text by their place', () => {
    const lines = diff('await save(first);', 'await save(second);');
    const body = 'The error of save is lost.';
    const both = [aFinding({ line: 1, body }), aFinding({ line: 2, body })];
    const recorded = record(matchFindings(both, [], lines));
    const { matches } = matchFindings([aFinding({ line: 1, body })], recorded, diff('await save(second);'));
    expect(matches).toMatchObject([{ kind: 'known', earlier: { id: 2 } }]);
  });

  const texts = ['const tries = 0;', 'if (tries > 3) throw error;', 'await save(file);', '}', ''];
  const findings: fc.Arbitrary<ReportedFinding[]> = fc.array(
    fc.record({
      path: fc.constantFrom(PATH, 'src/other.ts'),
      line: fc.constantFrom(null, 1, 2, 3, 4, 5, 99),
      category: fc.constantFrom(...REVIEW_CATEGORIES),
      severity: fc.constantFrom('critical', 'high', 'medium', 'low'),
      body: fc
        .array(fc.constantFrom('error', 'lost', 'never', 'stops', 'saved', 'tries', 'file'), {
          minLength: 1,
          maxLength: 6,
        })
        .map((words) => words.join(' ')),
      suggestion: fc.constant(null),
      startLine: fc.constant(null),
      introduced: fc.boolean(),
    }),
    { maxLength: 20 },
  );

  it('recognises every finding after its lines moved, in any order', () => {
    fc.assert(
      fc.property(findings, fc.nat(50), (list, shift) => {
        const first = matchFindings(list, [], diff(...texts));
        const moved = first.matches.map(({ finding }) => ({
          ...finding,
          line: finding.line === null ? null : finding.line + shift,
        }));
        const lines = diff(...Array.from({ length: shift }, () => ''), ...texts);
        const again = matchFindings(moved.toReversed(), record(first), lines);
        expect(kinds(again).every((kind) => kind === 'known')).toBe(true);
        expect(again.duplicates).toEqual([]);
      }),
    );
  });

  it('loses no finding, and never assigns a fingerprint twice', () => {
    fc.assert(
      fc.property(findings, findings, (one, two) => {
        const first = matchFindings(one, [], diff(...texts));
        const earlier = record(first);
        const { matches, duplicates } = matchFindings(two, earlier, diff(...texts));
        expect(matches.length + duplicates.length).toBe(two.length);
        const prints = matches.map(({ fingerprint }) => fingerprint);
        expect(new Set(prints).size).toBe(prints.length);
        const recorded = new Set(earlier.map(({ fingerprint }) => fingerprint));
        for (const { kind, fingerprint } of matches) expect(recorded.has(fingerprint)).toBe(kind !== 'new');
      }),
    );
  });
});
