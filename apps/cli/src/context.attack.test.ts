import { createRedact } from '@mergexo/core/text';
import { createContext } from './context.js';

const TOKEN = `ghp_${'A1b2C3d4'.repeat(4)}abcd`;

describe('JSON output with a title that an attacker wrote', () => {
  it.each([
    ['a private key header', '-----BEGIN PRIVATE KEY-----'],
    ['an unterminated private key', `-----BEGIN PRIVATE KEY-----\n${'MIIa'.repeat(16)}`],
    ['a token after a line break', `x\n${TOKEN}`],
    ['text that matches a secret only after JSON escaping', 'x\nabc12345678'],
  ])('keeps all other fields and shows no token: %s', (_name, title) => {
    const printed: string[] = [];
    const write = (text: string): void => void printed.push(text);
    const redact = createRedact(['nabc12345678']);
    const context = createContext({ json: true, env: {}, homeDir: '/', write, redact });
    const value = { title, acceptedHeadShaOfThePull: 'kept' };
    context.print(value, () => []);
    context.printLine(value, () => '');
    expect(printed).toHaveLength(2);
    for (const text of printed) expect(JSON.parse(text)).toMatchObject({ acceptedHeadShaOfThePull: 'kept' });
    expect(printed.join('')).not.toContain(TOKEN);
  });
});
