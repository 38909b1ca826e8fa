import { existsSync } from 'node:fs';
import { readSecret, readWorkerKey, type Settings } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { computeSender } from '@mergexo/core/ledger';
import { type Finding, messageOf } from './finding.js';

const name = 'worker key';

/** Checks that the workers on this machine have the key with which they and the poller sign their messages. */
export function checkWorkerKey({ paths, workerKey, signingSecret }: Settings): Finding {
  const isPollerHost = signingSecret !== undefined || existsSync(paths.secret);
  const found = "From the poller's host, copy the output of";
  try {
    const sender = readWorkerKey(paths.workerKey, workerKey);
    if (sender === undefined) {
      if (isPollerHost) return { name, status: 'ok', detail: `the poller writes ${paths.workerKey}` };
      const fix = `${found} \`${MERGEXO_CLI} worker-key <name>\` to MERGEXO_WORKER_KEY.`;
      return { name, status: 'failure', detail: 'MERGEXO_WORKER_KEY is not set', fix };
    }
    // The poller rewrites its key file when it starts, so only a key from the environment can be outdated.
    const isOutdated =
      workerKey !== undefined &&
      isPollerHost &&
      computeSender(readSecret(paths.secret, signingSecret).current, sender.name).key !== sender.key;
    const source = workerKey === undefined ? paths.workerKey : 'from MERGEXO_WORKER_KEY';
    if (!isOutdated) return { name, status: 'ok', detail: `${source}, for "${sender.name}"` };
    const fix = `Set it to the output of \`${MERGEXO_CLI} worker-key ${sender.name}\`, or unset it.`;
    return { name, status: 'failure', detail: 'MERGEXO_WORKER_KEY does not match the signing secret', fix };
  } catch (error) {
    const fix = `${found} \`${MERGEXO_CLI} worker-key <name>\` to MERGEXO_WORKER_KEY, or unset it on that host.`;
    return { name, status: 'failure', detail: messageOf(error), fix };
  }
}
