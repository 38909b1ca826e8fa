import { Failure, type Log } from '@mergexo/core/basics';
import { skipUnreadable } from './attempt.js';

const lines: unknown[] = [];
const write = (fields: object, message: string): void => void lines.push([message, fields]);
const log: Log = { debug: write, info: write, warn: write, error: write };
const about = { message: 'a pull request could not be read', pr_number: 7 };

describe('skipUnreadable', () => {
  beforeEach(() => void lines.splice(0));

  it('returns the result of the work', async () => {
    expect(await skipUnreadable(log, about, async () => 'read')).toBe('read');
    expect(lines).toEqual([]);
  });

  it.each(['unavailable', 'not-found', 'timed-out', 'invalid-data'] as const)(
    'logs a failure of kind %s and returns undefined',
    async (kind) => {
      const failure = new Failure(kind, 'no');
      expect(await skipUnreadable(log, about, () => Promise.reject(failure))).toBeUndefined();
      expect(lines).toEqual([['a pull request could not be read', { pr_number: 7, err: failure }]]);
    },
  );

  it.each([
    ['a rate limit', new Failure('rate-limited', 'later')],
    ['a bug', new TypeError('oops')],
    [
      'a full disk',
      new Failure('unavailable', 'no space', { cause: Object.assign(new Error(), { code: 'SQLITE_FULL' }) }),
    ],
  ])('rethrows %s', async (_what, error) => {
    await expect(skipUnreadable(log, about, () => Promise.reject(error))).rejects.toBe(error);
  });
});
