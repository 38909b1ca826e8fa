import fc from 'fast-check';
import { type Meta, signBody, verifyBody } from './marker.js';

const keys = { current: 'k'.repeat(64), older: [] };
const place = { repoId: 42, thread: '7' };
const meta: Meta = { run: '12', turn: 'a'.repeat(64), kind: 'status', target: 'issue:7', index: '0' };
const signed = signBody('Opened a pull request.\nSee #8.', { meta, place, keys });

describe('signed bodies', () => {
  it('end with their meta line and their token', () => {
    expect(signed.split('\n').slice(-2)).toEqual([
      expect.stringMatching(
        /^<!-- mergexo-meta:v1 run=12 turn=a{64} kind=status target=issue:7 index=0 digest=[0-9a-f]{32} -->$/,
      ),
      expect.stringMatching(/^<!-- mergexo-action:[0-9a-f]{64} -->$/),
    ]);
  });

  it('close open Markdown, so that their last two lines stay hidden', () => {
    for (const [text, closed] of [
      ['Log:\n\n~~~~\nnpm test', 'Log:\n\n~~~~\nnpm test\n~~~~'],
      ['<details>\n\nLog', '<details>\n\nLog\n\n</details>'],
    ] as const) {
      const body = signBody(text, { meta, place, keys });
      expect(body.split('\n').slice(0, -3).join('\n')).toBe(closed);
      expect(verifyBody(body, place, keys)).toEqual({ meta, body: closed, intact: true });
    }
  });

  it('can be verified after GitHub changes line endings', () => {
    const expected = { meta, body: 'Opened a pull request.\nSee #8.', intact: true };
    expect(verifyBody(signed, place, keys)).toEqual(expected);
    expect(verifyBody(`${signed.replaceAll('\n', '\r\n')}\r\n`, place, keys)).toEqual(expected);
  });

  it('are recognized but no longer intact after a person has edited the text', () => {
    expect(verifyBody(signed.replace('Opened', 'Closed'), place, keys)).toMatchObject({
      meta,
      intact: false,
    });
  });

  it('can be verified with an older key after a rotation, but not after the key is lost', () => {
    expect(verifyBody(signed, place, { current: 'n'.repeat(64), older: [keys.current] })).toBeDefined();
    expect(verifyBody(signed, place, { current: 'n'.repeat(64), older: [] })).toBeUndefined();
  });

  const [metaLine = '', tokenLine = ''] = signed.split('\n').slice(-2);
  it.each<[string, string]>([
    [
      'if a person quotes them',
      signed
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n'),
    ],
    ['with text after the signature', `${signed}\nand my answer`],
    ['in a code fence', `\`\`\`\n${signed}\n\`\`\``],
    ['with the lines swapped', `text\n${tokenLine}\n${metaLine}`],
    ['without the meta line', `text\n${tokenLine}`],
    ['with an altered meta line', signed.replace('run=12', 'run=13')],
    ['with upper case', signed.replace(/action:\w+/, (token) => token.toUpperCase())],
    ['with an extra digit', signed.replace(' -->', '0 -->')],
    ['with a no-break space', signed.replace('<!-- mergexo-action', '<!--\u00a0mergexo-action')],
    ['with an unknown version', signed.replace('meta:v1', 'meta:v2')],
    ['nested in another comment', signed.replace('<!-- mergexo-action', '<!-- <!-- mergexo-action')],
    ['if they are empty', ''],
  ])('are invalid %s', (_name, text) => expect(verifyBody(text, place, keys)).toBeUndefined());

  it('are invalid in another thread or repository', () => {
    expect(verifyBody(signed, { ...place, thread: '8' }, keys)).toBeUndefined();
    expect(verifyBody(signed, { ...place, repoId: 43 }, keys)).toBeUndefined();
  });

  it('reject a metadata value that could break out of its line', () => {
    expect(() => signBody('x', { meta: { cause: 'a --> b' }, place, keys })).toThrow(/has an invalid value/);
    expect(() => signBody('x', { meta: { cause: 'a b=c' }, place, keys })).toThrow(/has an invalid value/);
  });

  it('can be verified whatever the body contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (body) => {
        const proof = verifyBody(signBody(body, { meta, place, keys }), place, keys);
        expect(proof?.intact).toBe(true);
      }),
    );
  });
});
