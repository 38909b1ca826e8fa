import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import tls from 'node:tls';
import type { Settings } from '@mergexo/config';
import { codeOf } from '@mergexo/process';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
/** Variables of git and curl. MergeXO's git uses neither, because it inherits no settings. */
const FOREIGN = ['GIT_SSL_CAINFO', 'SSL_CERT_FILE'];

const complain = (status: 'warning' | 'failure', detail: string, fix: string): Finding => ({
  name: 'certs',
  status,
  detail,
  fix,
});

/**
 * Checks the additional certificate authorities. Node prints only a warning for a file that it cannot use, and MergeXO's
 * git trusts the same file.
 */
export function checkCertificates(
  { extraCaCerts }: Pick<Settings, 'extraCaCerts'>,
  { env }: Pick<Context, 'env'>,
  now = Date.now(),
): Finding[] {
  if (extraCaCerts === undefined) return checkForeign(env);
  if (!isAbsolute(extraCaCerts)) {
    const fix = 'Set it to an absolute path, because services start in another directory.';
    return [complain('failure', `NODE_EXTRA_CA_CERTS=${extraCaCerts} is a relative path`, fix)];
  }
  const file = `NODE_EXTRA_CA_CERTS=${extraCaCerts}`;
  const blocks = readBlocks(extraCaCerts);
  if (typeof blocks === 'string')
    return [complain('failure', `${file}: ${blocks}`, 'Set it to a PEM file that this user can read.')];
  const certificates = blocks.map(parseCertificate);
  const broken = certificates.indexOf(undefined);
  if (certificates.length === 0 || broken >= 0) {
    const what = broken < 0 ? 'contains no certificate' : `certificate ${broken + 1} cannot be parsed`;
    const fix = 'Convert the file to PEM: `openssl x509 -inform der -in ca.cer -out ca.pem`.';
    return [complain('failure', `${file}: ${what}`, fix)];
  }
  const expired = certificates.find((one) => one !== undefined && Date.parse(one.validTo) < now);
  if (expired !== undefined) {
    const detail = `${file}: a certificate expired on ${expired.validTo} (${oneLine(expired.subject)})`;
    return [complain('warning', detail, 'Ask your administrator for the current certificate authority.')];
  }
  if (!isLoaded(certificates))
    return [
      complain(
        'failure',
        `${file}: Node did not load the file when it started`,
        'Set the variable before MergeXO starts: in the shell, in the unit file or in docker-compose.yml.',
      ),
    ];
  const count = certificates.length === 1 ? 'one certificate' : `${certificates.length} certificates`;
  return [{ name: 'certs', status: 'ok', detail: `Node and git also trust ${count} in ${extraCaCerts}` }];
}

function checkForeign(env: Context['env']): Finding[] {
  const set = FOREIGN.find((name) => (env[name] ?? '') !== '');
  if (set === undefined) return [];
  const detail = `MergeXO does not use ${set}`;
  return [
    complain('warning', detail, `Set NODE_EXTRA_CA_CERTS=${env[set]} for MergeXO's API requests and git.`),
  ];
}

/** Returns the certificates in PEM form, or the reason why there are none. */
function readBlocks(path: string): string[] | string {
  try {
    return readFileSync(path, 'utf8').match(BLOCK) ?? [];
  } catch (error) {
    return `the file cannot be read (${codeOf(error)})`;
  }
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** Always true on Node versions that do not list what they loaded. */
function isLoaded(certificates: readonly (X509Certificate | undefined)[]): boolean {
  if (!('getCACertificates' in tls) || typeof tls.getCACertificates !== 'function') return true;
  const loaded: string[] = tls.getCACertificates('extra');
  const known = new Set(loaded.map((pem) => parseCertificate(pem)?.fingerprint256));
  return certificates.every((one) => known.has(one?.fingerprint256));
}

const oneLine = (subject: string): string => subject.replaceAll('\n', ', ');
