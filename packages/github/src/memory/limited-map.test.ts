import { createLimitedMap } from './limited-map.js';

describe('createLimitedMap', () => {
  it('removes the least recently used entry', () => {
    const map = createLimitedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  });

  it('keeps one entry per key', () => {
    const map = createLimitedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('b', 3);
    expect([map.get('a'), map.get('b')]).toEqual([1, 3]);
    map.delete('b');
    expect(map.get('b')).toBeUndefined();
  });
});
