import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explainError, UsageError } from './explain-error.js';
import { Failure } from './failure.js';

describe('explainError', () => {
  const thrownBy = (work: () => unknown): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  };

  it.each<[string, () => unknown]>([
    ['an unknown option', () => parseArgs({ args: ['--frob'], options: {} })],
    ['an option without its value', () => parseArgs({ args: ['--a'], options: { a: { type: 'string' } } })],
    ['an extra argument', () => parseArgs({ args: ['x'], options: {} })],
    [
      'a value out of range',
      () => {
        throw new UsageError('--slots must be a whole number from 1 to 64, not 0.');
      },
    ],
  ])('exits with 2 for %s', (_name, work) => {
    expect(explainError(thrownBy(work))).toEqual({ message: expect.stringMatching(/./), exitCode: 2 });
  });

  it('names the path and the cause of a system error, without a stack', () => {
    const dir = mkdtempSync(join(tmpdir(), 'explain-'));
    try {
      expect(explainError(thrownBy(() => readFileSync(dir)))).toBeUndefined();
      const denied = Object.assign(new Error('EACCES: permission denied, open'), {
        code: 'EACCES',
        path: dir,
      });
      expect(explainError(denied)).toEqual({
        message: `Cannot use ${dir}: permission denied (EACCES). Check its owner and mode, or run MergeXO as a user who has access.`,
        exitCode: 1,
      });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('explains a directory that cannot be created, but not another missing file', () => {
    const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: '/disk/logs' });
    expect(explainError({ ...missing, name: 'Error', message: 'ENOENT', syscall: 'open' })).toBeUndefined();
    expect(explainError({ ...missing, name: 'Error', message: 'ENOENT', syscall: 'mkdir' })?.message).toMatch(
      /^Cannot use \/disk\/logs: .*\(ENOENT\)\. Check that its disk is mounted/,
    );
  });

  it('exits with 1 for a failure, and keeps the stack of a bug', () => {
    expect(explainError(new Failure('unavailable', 'no Redis'))).toEqual({
      message: 'no Redis',
      exitCode: 1,
    });
    expect(explainError(new TypeError('x is not a function'))).toBeUndefined();
    expect(explainError('text')).toBeUndefined();
  });
});
