import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Log } from '@mergexo/core/basics';

/** Where Linux distributions, BSDs and macOS keep their certificate authorities. */
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const NAME = 'ca-certificates.pem';

/**
 * Writes one file with the system's certificate authorities and the additional ones, and returns its path. Node trusts
 * both, but git reads only one file. Returns undefined if there are no additional ones, or if they cannot be read: Node
 * ignores them in this case too.
 */
export function writeCaBundle({
  baseDir,
  extraCaCerts,
  log,
}: {
  baseDir: string;
  extraCaCerts: string | undefined;
  log: Log;
}): string | undefined {
  if (extraCaCerts === undefined) return undefined;
  const extra = tryToRead(resolve(extraCaCerts));
  if (extra === undefined) {
    log.warn(
      { file: extraCaCerts },
      'could not read NODE_EXTRA_CA_CERTS; git uses only the system certificates',
    );
    return undefined;
  }
  const system = SYSTEM_BUNDLES.flatMap((path) => tryToRead(path) ?? [])[0];
  if (system?.path === extra.path) return extra.path;
  const bundle = [system?.text ?? rootCertificates.join('\n'), extra.text].join('\n');
  mkdirSync(baseDir, { recursive: true, mode: 0o700 });
  const path = join(baseDir, NAME);
  // Several workers may write the same file at the same time.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, bundle, { mode: 0o600 });
  renameSync(draft, path);
  return path;
}

function tryToRead(path: string): { path: string; text: string } | undefined {
  try {
    return { path: realpathSync(path), text: readFileSync(path, 'utf8') };
  } catch {
    return undefined;
  }
}
