import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { saveWebhookSecret } from './save-webhook-secret.js';

describe('the file with the secret of a webhook', () => {
  const pathTo = useTemporaryDirectory();

  it.each([
    ['', ''],
    ['A=1\n', 'A=1\n'],
    ['A=1', 'A=1\n'],
  ])('keeps its lines %j, and nobody else can read it', (before, kept) => {
    const path = pathTo('.env');
    writeFileSync(path, before);
    chmodSync(path, 0o644);
    saveWebhookSecret(path, 'abc');
    expect(readFileSync(path, 'utf8')).toBe(`${kept}MERGEXO_WEBHOOK_SECRET=abc\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is created with mode 600', () => {
    const path = pathTo('.env');
    expect(saveWebhookSecret(path, 'abc')).toContain(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
