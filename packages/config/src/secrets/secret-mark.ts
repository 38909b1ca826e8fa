import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SigningSecret } from './secret.js';

/** `foreign`: neither the key that signs nor an older one is the one that was used here before. */
export type SecretMatch = 'same' | 'renewed' | 'foreign' | 'unknown';

/** Beside the secret: enough to know it again, not enough to sign with. */
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

/** From now on this is the secret of this place. */
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
