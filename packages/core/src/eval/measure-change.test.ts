import { type MeasuredFile, measureChange } from './measure-change.js';

const files = (...names: [path: string, lines: number][]): MeasuredFile[] =>
  names.map(([path, lines]) => ({ path, lines }));

describe('measureChange', () => {
  it.each<[string, MeasuredFile[], MeasuredFile[], number, number | null]>([
    ['the same change', files(['a', 3], ['b', 1]), files(['b', 1], ['a', 3]), 1, 1],
    ['one of two files', files(['a', 2]), files(['a', 2], ['b', 2]), 0.5, 0.5],
    ['other files', files(['x', 8]), files(['a', 4]), 0, 2],
    ['no change', [], files(['a', 4]), 0, 0],
    ['a real change without lines', files(['a', 1]), files(['a', 0]), 1, null],
    ['two empty changes', [], [], 1, null],
  ])('compares %s', (_name, actual, expected, fileOverlap, sizeRatio) => {
    expect(measureChange(actual, expected)).toEqual({ fileOverlap, sizeRatio });
  });
});
