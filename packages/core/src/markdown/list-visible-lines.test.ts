import { measureGrowth } from '@mergexo/testkit';
import { listVisibleLines } from './list-visible-lines.js';

describe('listVisibleLines', () => {
  it('lists top-level text around a closed HTML element', () => {
    expect([...listVisibleLines('a\n\n<details>\n\nb\n\n</details>\n\nc')]).toEqual([0, 8]);
  });

  it('lists nothing after HTML that no later tag can close', () => {
    expect([...listVisibleLines('a\n\n</div>\n\nb\n\n<div>\n\nc')]).toEqual([0]);
  });

  it('takes linear time for many HTML elements', () => {
    const list = (size: number) => void listVisibleLines('<b></b>\n\ntext\n\n'.repeat(size));
    expect(measureGrowth(list, { from: 200, to: 3_200 })).toBeLessThan(1.6);
  });
});
