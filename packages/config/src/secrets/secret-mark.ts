import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SigningSecret } from './secret.js';

/** `renewed`: an older key matches the fingerprint. `foreign`: no key matches. `unknown`: there is no fingerprint. */
export type SecretMatch = 'same' | 'renewed' | 'foreign' | 'unknown';

/** Returns the path of the fingerprint file, which identifies the secret but cannot be used to sign. */
export function markPathOf(secretPath: string): string {
  return `${secretPath}.fingerprint`;
}

export function matchSecret(secretPath: string, { current, older }: SigningSecret): SecretMatch {
  const path = markPathOf(secretPath);
  if (!existsSync(path)) return 'unknown';
  const mark = readFileSync(path, 'utf8').trim();
  if (mark === computeMark(current)) return 'same';
  return older.some((key) => mark === computeMark(key)) ? 'renewed' : 'foreign';
}

/** Records the fingerprint of the secret in use. */
export function markSecret(secretPath: string, secret: SigningSecret): void {
  if (matchSecret(secretPath, secret) === 'same') return;
  const path = markPathOf(secretPath);
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${computeMark(secret.current)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function computeMark(key: string): string {
  return createHmac('sha256', key).update('mergexo-fingerprint').digest('hex');
}
