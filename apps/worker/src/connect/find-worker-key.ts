import { readWorkerKey, type Settings } from '@mergexo/config';
import { Failure, type Log, MERGEXO_CLI } from '@mergexo/core/basics';
import type { Sender } from '@mergexo/core/ledger';
import { pauseBetweenTries } from './find-redis.js';

/** Maximum number of attempts to read the key. A local poller writes it soon after Redis responds. */
const MAX_TRIES = 30;

/**
 * Finds this worker's key in the environment, or in the file that the poller on this machine writes. Also redacts the
 * key, and every key that the poller writes later.
 */
export async function findWorkerKey(
  { paths, workerKey, redact }: Pick<Settings, 'paths' | 'workerKey' | 'redact'>,
  log: Log,
): Promise<() => Sender> {
  const read = (): Sender | undefined => {
    const sender = readWorkerKey(paths.workerKey, workerKey);
    redact.learn([sender?.key]);
    return sender;
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = read();
    if (found !== undefined) return () => read() ?? found;
    if (tries === 0) log.info({ file: paths.workerKey }, 'waiting for the poller to write the worker key');
    await pauseBetweenTries(tries);
  }
  throw new Failure(
    'unauthorized',
    `This worker has no key: MERGEXO_WORKER_KEY is not set, and ${paths.workerKey} does not exist. If the poller runs ` +
      `on another host, run \`${MERGEXO_CLI} worker-key <name>\` there and set MERGEXO_WORKER_KEY here to its output.`,
  );
}
