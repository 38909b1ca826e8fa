import { listSteps } from './list-steps.js';

const begun = (createdAt: number) => ({ type: 'turn_begun', createdAt, payload: {} });
const step = (createdAt: number, text: unknown) => ({
  type: 'turn_progress',
  createdAt,
  payload: { kind: 'bugfix_start', step: text },
});

describe('listSteps', () => {
  it('returns the last three steps of the current attempt, newest first', () => {
    const events = [begun(1), step(2, 'old'), begun(3), ...[4, 5, 6, 7].map((at) => step(at, `s${at}`))];
    expect(listSteps(events)).toEqual([7, 6, 5].map((at) => ({ at, text: `s${at}` })));
  });

  it('merges repeated steps and keeps the time of the first step', () => {
    expect(listSteps([begun(1), step(2, 'npm test'), step(9, 'npm test')])).toEqual([
      { at: 2, text: 'npm test' },
    ]);
  });

  it.each([[[]], [[step(1, 7)]], [[{ type: 'turn_progress', createdAt: 1, payload: null }]]])(
    'returns no steps for %j',
    (events) => {
      expect(listSteps(events)).toEqual([]);
    },
  );
});
