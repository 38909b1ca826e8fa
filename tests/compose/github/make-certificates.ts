import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.js';

export type Certificates = { caPath: string; key: string; cert: string };

/** Creates a private certificate authority, and a certificate for the host. */
export async function makeCertificates(dir: string, host: string): Promise<Certificates> {
  const at = (name: string): string => join(dir, name);
  const openssl = (...args: string[]) => runCommand('openssl', args);
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  const ca = ['-x509', '-days', '2', '-subj', '/CN=MergeXO test authority'];
  await openssl('req', ...key, ...ca, '-keyout', at('ca.key'), '-out', at('ca.pem'));
  await openssl('req', ...key, '-subj', `/CN=${host}`, '-keyout', at('host.key'), '-out', at('host.csr'));
  writeFileSync(at('names'), `subjectAltName=DNS:${host}\n`);
  const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
  const files = ['-in', at('host.csr'), '-out', at('host.pem'), '-extfile', at('names')];
  await openssl('x509', '-req', ...signing, ...files);
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  return { caPath: at('ca.pem'), key: read('host.key'), cert: read('host.pem') };
}
