import { readTextThen, type TextHistory } from './read-text-then.js';

const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-01-05T08:00:00Z', '2026-01-06T08:00:00Z', '2026-01-07T08:00:00Z'];
const history = (overrides: Partial<TextHistory> = {}): TextHistory => ({
  title: 'Now',
  body: 'Now.',
  bodies: [],
  renames: [],
  hasMoreRenames: false,
  ...overrides,
});
const bodies = [
  { at: WEDNESDAY, text: 'Now.' },
  { at: MONDAY, text: 'First.' },
];

describe('the text of an issue at a time', () => {
  it('is the current text if nobody changed it', () => {
    expect(readTextThen(history(), TUESDAY)).toEqual({ title: 'Now', body: 'Now.' });
  });

  it('is the newest version from before that time', () => {
    const at = (time: string) => readTextThen(history({ bodies }), time)?.body;
    expect(at(TUESDAY)).toBe('First.');
    expect(at('2026-01-08T08:00:00Z')).toBe('Now.');
    // Times are in whole seconds, so a change in the same second may be a later one.
    expect(at(WEDNESDAY)).toBe('First.');
  });

  it('has the title from before the next change', () => {
    const renames = [
      { at: MONDAY, from: 'First' },
      { at: WEDNESDAY, from: 'Second' },
    ];
    const at = (time: string) => readTextThen(history({ renames }), time)?.title;
    expect([at(MONDAY), at(TUESDAY), at('2026-01-08T08:00:00Z')]).toEqual(['First', 'Second', 'Now']);
  });

  it.each<[string, Partial<TextHistory>]>([
    ['somebody deleted that version', { bodies: [{ at: MONDAY, text: null }] }],
    ['GitHub lists only later versions', { bodies: [{ at: WEDNESDAY, text: 'Now.' }] }],
    ['GitHub does not list the last changes of the title', { hasMoreRenames: true }],
  ])('is unknown if %s', (_why, overrides) => {
    expect(readTextThen(history(overrides), TUESDAY)).toBeUndefined();
  });
});
