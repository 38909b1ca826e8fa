import { CANARIES, CANARY_ROWS, findLeak, measureGrowth } from '@mergexo/testkit';
import { createRedact } from './redact.js';

const redact = createRedact(Object.values(CANARIES));

describe('the redaction', () => {
  it.each(CANARY_ROWS)('removes $name $encoding', ({ secret, text }) => {
    const output = redact(`before ${text} after`);
    expect(findLeak(output, { secret, text })).toBeUndefined();
    expect(output).toMatch(/^before .*\[redacted\].* after$/s);
  });

  it.each(CANARY_ROWS)('removes $name $encoding from a JSON line that stays valid', ({ secret, text }) => {
    const line = redact(JSON.stringify({ level: 'info', text, nested: JSON.stringify({ text }) }));
    expect(findLeak(line, { secret, text })).toBeUndefined();
    expect(JSON.parse(line)).toMatchObject({ level: 'info' });
  });

  it.each([
    ['a short secret', ['hunter2'], 'hunter2 and HUNTER2'],
    ['other words', ['correct-horse-battery'], 'correct horse battery, a horse and a battery'],
    ['a different case', ['Zx81Zx81Zx81'], 'zx81zx81zx81'],
  ])('keeps ordinary text: %s', (_name, secrets, text) => {
    expect(createRedact(secrets)(text)).toBe(text);
  });

  it.each([
    '%41',
    '\\u0041',
    '&#65;',
    '\n> ',
    '\\\\',
    '\u200b',
    '=',
    'QUFB',
    '4141',
    ...Object.values(CANARIES),
  ])('takes linear time on repeated %j', (filler) => {
    const work = (size: number): void => void redact(filler.repeat(size / filler.length));
    expect(measureGrowth(work, { from: 8_192, to: 65_536 })).toBeLessThan(1.6);
  });
});
