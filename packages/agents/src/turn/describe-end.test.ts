import { describeEnd } from './describe-end.js';

describe('describeEnd', () => {
  it('takes no answer of an agent whose processes could not be ended', () => {
    expect(describeEnd({ kind: 'exited', code: 0, survivors: [7, 8] }, '')).toEqual({
      failure: 'killed',
      message: 'processes of the run could not be ended: 7, 8',
    });
  });

  it('says why the sandbox could not be made', () => {
    const end = { kind: 'not-started', reason: 'no sandbox', fault: 'machine', survivors: [] } as const;
    expect(describeEnd(end, ' bwrap: no such file\n')).toEqual({
      failure: 'not-installed',
      message: 'the agent could not be started: no sandbox; it said: bwrap: no such file',
    });
  });
});
