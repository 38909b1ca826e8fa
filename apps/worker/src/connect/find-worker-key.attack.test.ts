import { writeWorkerKey } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { findWorkerKey } from './find-worker-key.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const A = computeSender('a'.repeat(64), 'local');
const B = computeSender('b'.repeat(64), 'local');

describe('the key of a worker', () => {
  const pathTo = useTemporaryDirectory();

  it.each([
    ['in plain text', (key: string) => key],
    ['in base64', (key: string) => Buffer.from(`local:${key}`).toString('base64')],
  ])('never appears in output %s, even after the poller renewed it', async (_name, encode) => {
    const redact = createRedact([]);
    const workerKey = pathTo('worker-key');
    const paths = {
      database: '',
      lock: '',
      secret: '',
      workerKey,
      logs: '',
      redis: '',
      workers: '',
      workerHealth: '',
    };
    writeWorkerKey(workerKey, A);
    const sender = await findWorkerKey({ paths, workerKey: undefined, redact }, log);
    expect(redact(encode(A.key))).toContain('[redacted]');
    expect(redact(A.key)).toBe('[redacted]');
    writeWorkerKey(workerKey, B);
    expect(sender()).toEqual(B);
    expect(redact(`${A.key} ${B.key}`)).toBe('[redacted] [redacted]');
  });
});
