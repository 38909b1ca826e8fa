import { measureGrowth } from '@mergexo/testkit';
import { removeSignature } from './describe-comment.js';

const META = '<!-- mergexo-meta:v1 run=1 -->';
const TOKEN = `<!-- mergexo-action:${'0'.repeat(64)} -->`;

describe('the dashboard page of an issue', () => {
  it('shows a post without its signature', () => {
    expect(removeSignature(`Done.\n\n${META}\n${TOKEN}\r\n`)).toBe('Done.');
  });

  it.each([
    ['markers on one line, then other text', `${META} ${META}\n`, 't'],
    ['unterminated markers', '<!-- mergexo-meta:', 't'],
    ['markers on separate lines', `${META}\n`, ''],
    ['blank lines', ' \n', 't'],
    ['spaces', ' ', 't'],
  ])('takes about linear time for a comment with many %s', (_name, filler, end) => {
    const work = (size: number): void =>
      void removeSignature(`a${filler.repeat(size / filler.length)}${end}`);
    expect(measureGrowth(work, { from: 8_192, to: 65_536 })).toBeLessThan(1.6);
  });
});
