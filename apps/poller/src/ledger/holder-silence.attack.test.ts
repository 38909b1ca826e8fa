import { createHolderSilence } from './holder-silence.js';

it('records at most 20 changes of the step per turn and minute, and the newest one later', () => {
  let clock = 0;
  const silence = createHolderSilence({ monotonicNow: () => clock, hearingSince: () => 0 });
  const note = (turnKey: string, count: number) =>
    Array.from({ length: count }, (_, index) => silence.noteStep(turnKey, `step ${index}`)).filter(Boolean);
  expect(note('a', 3_000)).toHaveLength(20);
  expect(note('b', 1)).toHaveLength(1);
  expect(silence.noteStep('a', 'tests')).toBe(false);
  clock += 60_000;
  expect(silence.noteStep('a', 'tests')).toBe(true);
  expect(silence.noteStep('a', 'tests')).toBe(false);
  expect(note('a', 3_000)).toHaveLength(19);
});
