import { randomBytes } from 'node:crypto';
import { type LedgerAnswer, sealToken } from '@mergexo/core/ledger';
import { createAttemptCredential, findAttemptCredential, withCredential } from './attempt-credential.js';

const begun = { turnKey: 'a'.repeat(64), attempt: 2 };
const parties = { secret: 's'.repeat(64), workerKey: 'w'.repeat(64) };

describe('createAttemptCredential', () => {
  const numbers: number[] = [];
  const answers = (next: (number: number) => LedgerAnswer) =>
    createAttemptCredential(begun, parties, async ({ number }) => {
      numbers.push(number);
      return next(number);
    });
  const sealed = (token: string, lifetimeMs: number, attempt = begun.attempt): LedgerAnswer => ({
    kind: 'credential',
    sealed: sealToken(token, { ...parties, turnKey: begun.turnKey, attempt }, randomBytes(12)),
    lifetimeMs,
  });
  beforeEach(() => {
    numbers.length = 0;
  });

  it('asks once for all commands that run while the token is valid', async () => {
    const find = answers(() => sealed('ghs_1', 3_600_000));
    expect(await Promise.all([find(), find()])).toEqual(['ghs_1', 'ghs_1']);
    expect(await find()).toBe('ghs_1');
    expect(numbers).toEqual([1]);
  });

  it('asks again, with a new number, when the token is about to expire', async () => {
    const find = answers((number) => sealed(`ghs_${number}`, 0));
    expect([await find(), await find()]).toEqual(['ghs_1', 'ghs_2']);
    expect(numbers).toEqual([1, 2]);
  });

  it('fails with the poller’s reason, and asks again the next time', async () => {
    const find = answers((number) =>
      number === 1 ? { kind: 'refused', reason: 'the App is suspended' } : sealed('ghs_2', 3_600_000),
    );
    await expect(find()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('the App is suspended'),
    });
    expect(await find()).toBe('ghs_2');
  });

  it('refuses a token that is encrypted for another attempt', async () => {
    await expect(answers(() => sealed('ghs_1', 1_000, 1))()).rejects.toThrow(
      'not encrypted for this attempt',
    );
  });
});

describe('withCredential', () => {
  it('keeps the credentials of concurrent attempts apart', async () => {
    const run = (token: string) =>
      withCredential(
        async () => token,
        async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return findAttemptCredential()?.();
        },
      );
    expect(await Promise.all([run('one'), run('two')])).toEqual(['one', 'two']);
    expect(await withCredential(undefined, async () => findAttemptCredential())).toBeUndefined();
  });
});
