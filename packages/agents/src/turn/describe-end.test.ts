import { describeEnd } from './describe-end.js';

describe('describeEnd', () => {
  it('rejects an agent’s answer if its processes could not be ended', () => {
    expect(describeEnd({ kind: 'exited', code: 0, survivors: [7, 8] }, '')).toEqual({
      failure: 'killed',
      message: 'MergeXO could not end these processes of the run: 7, 8',
    });
  });

  it.each([
    [{ kind: 'exited', code: 137 }, 'signal 9 (the kernel sends it when'],
    [{ kind: 'signalled', signal: 'SIGKILL' }, 'SIGKILL (the kernel sends it when'],
    [{ kind: 'exited', code: 139 }, 'signal 11'],
  ] as const)('says that memory may have run out if %o', (end, expected) => {
    const { failure, message } = describeEnd({ ...end, survivors: [] }, '');
    expect(failure).toBe('killed');
    expect(message).toContain(expected);
    expect(message.includes('memory')).toBe(expected.includes('kernel'));
  });

  it.each([
    [
      'memoryBytes',
      8 * 1024 ** 3,
      'the agent used more than 8192 MiB of memory; if the work needs more, raise `agent.max_memory_mb`',
    ],
    [
      'processes',
      4096,
      'the agent started more than 4096 processes and threads; if the work needs more, raise `agent.max_processes`',
    ],
    [
      'openFiles',
      100,
      'the agent opened 100 files in one process; if the work needs more, raise `agent.max_open_files`',
    ],
    [
      'diskBytes',
      1024 ** 3,
      'the agent used more than 1024 MiB of disk space; if the work needs more, raise `agent.max_disk_mb`',
    ],
    [
      'freeDisk',
      1024 ** 3,
      'the agent ran while less than 1024 MiB or 10,000 files were free on the disk of `runtime.base_dir`; free some space',
    ],
  ] as const)('names the limit of %s and the next step', (resource, limit, message) => {
    expect(describeEnd({ kind: 'exceeded', resource, limit, survivors: [] }, '')).toEqual({
      failure: 'resource-limit',
      message,
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
