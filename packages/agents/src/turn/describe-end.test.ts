import { describeEnd } from './describe-end.js';

describe('describeEnd', () => {
  it('rejects the answer of an agent if its processes could not be ended', () => {
    expect(describeEnd({ kind: 'exited', code: 0, survivors: [7, 8] }, '')).toEqual({
      failure: 'killed',
      message: 'MergeXO could not end these processes of the run: 7, 8',
    });
  });

  it('explains why the sandbox could not be created', () => {
    const end = { kind: 'not-started', reason: 'no sandbox', fault: 'machine', survivors: [] } as const;
    expect(describeEnd(end, ' bwrap: no such file\n')).toEqual({
      failure: 'not-installed',
      message: 'the agent could not be started: no sandbox; its log ends with: bwrap: no such file',
    });
  });
});
