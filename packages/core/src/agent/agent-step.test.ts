import { createRedact } from '../text/index.js';
import { AgentStep, buildStep, MAX_STEP_TEXT } from './agent-step.js';

const SECRET = 'canary-of-the-model';
const PEM = `-----BEGIN PRIVATE KEY-----\n${'QUJD\n'.repeat(20)}-----END PRIVATE KEY-----`;
const redact = createRedact([SECRET]);

describe('buildStep', () => {
  it.each([
    ['a plain text', 'npm test', 'npm test'],
    ['several lines', 'one\n\ttwo\r\n  three', 'one two three'],
    ['colors', '\u001b[31mred\u001b[0m', 'red'],
    ['a title and a link', '\u001b]0;owned\u0007a\u001b]8;;http://evil\u001b\\b', 'ab'],
    ['control characters and direction marks', 'a\u0000b\u0008c\u202ed\u009b2Je', 'abcde'],
    ['a secret', `key ${SECRET}!`, 'key [redacted]!'],
    ['a secret split by invisible characters', `canary-of\u200b-the\u202e-model`, '[redacted]'],
    ['a secret split by colors', `canary-of\u001b[31m-the-model`, '[redacted]'],
    ['a secret with several lines', `a ${PEM} b`, 'a [redacted] b'],
    ['half a character', `a\ud83d`, 'a\ufffd'],
  ])('cleans %s', (_name, text, expected) => {
    expect(buildStep('say', text, redact)).toEqual({ kind: 'say', text: expected });
  });

  it('shortens a megabyte, without splitting a character or a secret', () => {
    for (let shift = 0; shift < 40; shift += 1) {
      const step = buildStep(
        'say',
        'x'.repeat(MAX_STEP_TEXT - 20 - shift) + SECRET + '👍'.repeat(500_000),
        redact,
      );
      expect(AgentStep.safeParse(step).success).toBe(true);
      expect(step?.text).not.toMatch(/canary|\p{Surrogate}/u);
    }
  });

  it('returns nothing for a text without visible characters', () => {
    expect(buildStep('say', ' \u001b[31m\u200b\n', redact)).toBeUndefined();
  });

  it('changes nothing if it is applied twice', () => {
    const once = buildStep('run', `a\u001b[1m ${SECRET} ${'é'.repeat(900)}`, redact);
    expect(buildStep('run', once?.text ?? '', redact)).toEqual(once);
  });
});
