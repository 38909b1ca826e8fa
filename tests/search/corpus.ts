/**
 * Seeds whose schedules once failed, and why. Each must break no promise. A change of `draw-schedule.ts` changes what a
 * seed means; replace a seed that no longer fits its reason.
 */
export const CORPUS: readonly { seed: number; why: string }[] = [
  {
    seed: 77,
    why: 'the judge took the repeated answer to a begin message for a turn that began during a pause',
  },
  {
    seed: 1068,
    why: 'the end of a schedule did not wait for comments that a rebuilt database had just read',
  },
  { seed: 5027, why: 'the end of a schedule resumed an issue before MergeXO had read the order to pause it' },
];
