import { renameSync, statSync, writeFileSync } from 'node:fs';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { computeSender, isSenderName, type Sender } from '@mergexo/core/ledger';
import { fileError } from '../parse/config-error.js';
import { readPrivateFile } from './private-file.js';
import type { SigningSecret } from './secret.js';

/** Renders the key as one line that fits in an environment variable. */
export function renderWorkerKey({ name, key }: Sender): string {
  return `${name}:${key}`;
}

/** Derives the key that the poller expects from workers with this name. */
export function deriveWorkerKey({ current }: SigningSecret, name: string): string {
  return renderWorkerKey(computeSender(current, name));
}

/** Writes the key for the workers on this machine. */
export function writeWorkerKey(path: string, sender: Sender): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${renderWorkerKey(sender)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Reads the key from the environment or, if unset, from the file. Returns undefined if there is no file. */
export function readWorkerKey(path: string, fromEnvironment: string | undefined): Sender | undefined {
  if (fromEnvironment !== undefined) return parseWorkerKey('MERGEXO_WORKER_KEY', fromEnvironment);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return parseWorkerKey(path, readPrivateFile(path, 'the worker key'));
}

function parseWorkerKey(source: string, text: string): Sender {
  const [name = '', key = '', ...rest] = text.trim().split(':');
  if (isSenderName(name) && /^[0-9a-f]{64}$/.test(key) && rest.length === 0) return { name, key };
  throw fileError(
    source,
    `the worker key is invalid. Copy the whole output of \`${MERGEXO_CLI} worker-key <name>\` from the poller's host`,
  );
}
