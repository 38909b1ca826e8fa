import { measureGrowth } from '@mergexo/testkit';
import { listVisibleLines } from './list-visible-lines.js';

describe('listVisibleLines', () => {
  it('lists top-level text around a closed HTML element', () => {
    expect([...listVisibleLines('a\n\n<details>\n\nb\n\n</details>\n\nc')]).toEqual([0, 8]);
  });

  it('lists nothing after HTML that no later tag can close', () => {
    expect([...listVisibleLines('a\n\n</div>\n\nb\n\n<div>\n\nc')]).toEqual([0]);
  });

  it.each([
    ['a formula in a block', '$$\\phantom{\nhidden\n}$$'],
    ['a formula in a line', '$\\color{white}{\nhidden\n}$'],
    ['a formula of several paragraphs', 'a $$\n\nhidden\n\n$$'],
    ['the label of a link', 'see [the docs][b\nhidden\n].\n\n[b hidden]: http://x'],
  ])('does not list text in %s', (_name, text) => {
    const lines = text.split('\n');
    expect([...listVisibleLines(text)].map((at) => lines[at])).not.toContain('hidden');
  });

  it('lists text around formulas', () => {
    expect([...listVisibleLines('a\n\nit costs $5\n\n$x$\n\nb')]).toEqual([0, 6]);
  });

  it('takes linear time for many HTML elements', () => {
    const list = (size: number) => void listVisibleLines('<b></b>\n\ntext\n\n'.repeat(size));
    expect(measureGrowth(list, { from: 200, to: 3_200 })).toBeLessThan(1.6);
  });
});
