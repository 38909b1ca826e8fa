import { existsSync } from 'node:fs';
import {
  createSecretFile,
  markSecret,
  matchSecret,
  readSecret,
  type Settings,
  writeWorkerKey,
} from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { computeSender, LOCAL_WORKERS, OPERATOR } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';

/**
 * Creates the secret at the first start only: if a database exists without its secret, a new secret would
 * hide the loss. Throws if the secret does not match the database, because MergeXO would not recognize its
 * own posts. Also writes the key for the workers on this machine, and redacts all these keys.
 */
export function openSecret({
  paths,
  signingSecret,
  redact,
}: Pick<Settings, 'paths' | 'signingSecret' | 'redact'>): SigningKeys {
  const isFirst = !existsSync(paths.database);
  if (signingSecret === undefined && isFirst) createSecretFile(paths.secret);
  const keys = readSecret(paths.secret, signingSecret);
  const workers = computeSender(keys.current, LOCAL_WORKERS);
  redact.learn([keys.current, ...keys.older, workers.key, computeSender(keys.current, OPERATOR).key]);
  if (!isFirst && matchSecret(paths.secret, keys) === 'foreign') throw refuse(paths);
  markSecret(paths.secret, keys);
  writeWorkerKey(paths.workerKey, workers);
  return keys;
}

function refuse({ database, secret }: Settings['paths']): Failure {
  return new Failure(
    'conflict',
    `The signing secret does not match ${database}, and none of the older keys matches either. ` +
      `Restore the matching secret (${secret}, or MERGEXO_SECRET). To renew it, write the new key first and keep the old one below. ` +
      `If the matching secret is lost for good, start over with \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`,
  );
}
