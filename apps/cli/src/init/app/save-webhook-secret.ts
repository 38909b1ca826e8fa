import { closeSync, fchmodSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Adds the secret to the end of a file with variables, on a separate line. Only the owner can read the file
 * afterwards, even if it existed before.
 */
export function saveWebhookSecret(path: string, secret: string): string {
  const file = openSync(path, 'a+', 0o600);
  try {
    fchmodSync(file, 0o600);
    const before = readFileSync(file, 'utf8');
    const lineBreak = before === '' || before.endsWith('\n') ? '' : '\n';
    writeSync(file, `${lineBreak}MERGEXO_WEBHOOK_SECRET=${secret}\n`);
  } finally {
    closeSync(file);
  }
  return `Stored MERGEXO_WEBHOOK_SECRET in ${path}. Set it in the environment of MergeXO.`;
}
