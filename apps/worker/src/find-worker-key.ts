import { setTimeout as sleep } from 'node:timers/promises';
import { readWorkerKey, type Settings } from '@mergexo/config';
import { Failure, type Log, MERGEXO_CLI } from '@mergexo/core/basics';
import type { Sender } from '@mergexo/core/ledger';

/** How long a poller on this machine may take to write the key after Redis answers. */
const WAIT_SECONDS = 30;

/** Finds the key of this worker: in the environment, or in the file that the poller on this machine writes. */
export async function findWorkerKey({ paths, workerKey }: Settings, log: Log): Promise<() => Sender> {
  for (let tries = 0; tries < WAIT_SECONDS; tries += 1) {
    const found = readWorkerKey(paths.workerKey, workerKey);
    if (found !== undefined) return () => readWorkerKey(paths.workerKey, workerKey) ?? found;
    if (tries === 0) log.info({ file: paths.workerKey }, 'waiting for the poller to write the worker key');
    await sleep(1_000);
  }
  throw new Failure(
    'unauthorized',
    `This worker has no key: MERGEXO_WORKER_KEY is not set, and ${paths.workerKey} does not exist. If the poller runs ` +
      `on another host, run \`${MERGEXO_CLI} worker-key <name>\` there and set MERGEXO_WORKER_KEY here to its output.`,
  );
}
