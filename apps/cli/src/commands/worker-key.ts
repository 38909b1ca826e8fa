import { deriveWorkerKey, readSecret, readSettings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { isSenderName, OPERATOR } from '@mergexo/core/ledger';
import type { Context } from '../context.js';

/** Prints the key that a worker on another host needs. The same name always has the same key. */
export function printWorkerKey(context: Context, name: string): void {
  if (!isSenderName(name) || name === OPERATOR)
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of a worker. Use 1 to 40 lowercase letters, digits and hyphens, ` +
        `starting with a letter or digit, but not "${OPERATOR}".`,
    );
  const { paths, signingSecret } = readSettings(context);
  const key = deriveWorkerKey(readSecret(paths.secret, signingSecret), name);
  context.printSecret({ ok: true, name, key }, () => [key]);
}
