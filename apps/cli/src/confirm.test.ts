import { PassThrough } from 'node:stream';
import { confirm } from './confirm.js';

describe('confirm', () => {
  const answerWith = async (text: string): Promise<{ yes: boolean; asked: string }> => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end(text);
    const yes = await confirm('Really?', { input, output });
    return { yes, asked: String(output.read()) };
  };

  it.each([
    ['y\n', true],
    ['YES\n', true],
    [' yes \n', true],
    ['n\n', false],
    ['\n', false],
    ['yesterday\n', false],
    ['', false],
  ])('interprets the answer %j as %s', async (text, yes) => {
    expect(await answerWith(text)).toEqual({ yes, asked: expect.stringContaining('Really? [y/N] ') });
  });
});
