import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import tls from 'node:tls';
import { findOnPath, onlyWith, useTemporaryDirectory } from '@mergexo/testkit';
import { checkCertificates } from './check-certificates.js';

describe('the check of certificate authorities', () => {
  const pathTo = useTemporaryDirectory();
  const check = (extraCaCerts: string | undefined, env = {}) =>
    checkCertificates({ extraCaCerts }, { env })[0];

  it('says nothing without additional authorities', () => {
    expect(check(undefined)).toBeUndefined();
  });

  it.each(['GIT_SSL_CAINFO', 'SSL_CERT_FILE'])('warns about %s, which MergeXO does not use', (name) => {
    expect(check(undefined, { [name]: '/ca.pem' })).toMatchObject({
      status: 'warning',
      detail: `MergeXO does not use ${name}`,
      fix: expect.stringContaining('NODE_EXTRA_CA_CERTS=/ca.pem'),
    });
  });

  it('reports a file that Node ignores', () => {
    writeFileSync(pathTo('empty.pem'), 'hello');
    writeFileSync(pathTo('broken.pem'), '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
    for (const [path, reason] of [
      [pathTo('missing.pem'), /cannot be read \(ENOENT\)/],
      [pathTo(), /cannot be read \(EISDIR\)/],
      [pathTo('empty.pem'), /contains no certificate/],
      [pathTo('broken.pem'), /certificate 1 cannot be parsed/],
      ['ca.pem', /relative path/],
    ] as const) {
      const finding = check(path);
      expect(finding).toMatchObject({ status: 'failure', detail: expect.stringMatching(reason) });
      expect(finding?.fix).toBeDefined();
    }
  });

  const missing = findOnPath('openssl') ? undefined : 'openssl is not installed';
  onlyWith(missing).it(
    'reports an expired authority, and one that Node did not load at its start',
    async () => {
      const [key, cert] = [pathTo('key.pem'), pathTo('cert.pem')];
      const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=Acme CA'];
      execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' });
      const module = JSON.stringify(new URL('./check-certificates.js', distOf()).href);
      const script = `
      const { checkCertificates } = await import(${module});
      console.log(JSON.stringify(checkCertificates({ extraCaCerts: process.argv[1] }, { env: {} })));`;
      const run = (env: Record<string, string>) => {
        const argv = ['--no-warnings', '--input-type=module', '-e', script, '--', cert];
        return JSON.parse(execFileSync(process.execPath, argv, { env, encoding: 'utf8' }))[0];
      };
      expect(run({ NODE_EXTRA_CA_CERTS: cert })).toMatchObject({
        status: 'ok',
        detail: `Node and git also trust one certificate in ${cert}`,
      });
      // Older versions of Node do not list what they loaded.
      expect(run({}).status).toBe('getCACertificates' in tls ? 'failure' : 'ok');
      const later = checkCertificates({ extraCaCerts: cert }, { env: {} }, Date.now() + 2 * 86_400_000);
      expect(later).toMatchObject([
        { status: 'warning', detail: expect.stringMatching(/expired on .*Acme CA/) },
      ]);
    },
  );
});

/** The compiled code, which a separate program can import. */
function distOf(): string {
  return import.meta.url.replace('/src/', '/dist/');
}
