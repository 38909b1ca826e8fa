import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWorkerKey, type Settings } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openSecret } from './open-secret.js';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe('openSecret', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  const at = (name: string): string => join(directory.path, name);
  const open = (signingSecret?: string) => {
    const paths: Settings['paths'] = {
      database: at('state.db'),
      lock: at('lock'),
      secret: at('secret'),
      workerKey: at('worker-key'),
      logs: at('logs'),
      redis: at('redis'),
      workerHealth: '',
      workers: at('workers'),
    };
    return openSecret({ paths, signingSecret, redact: createRedact([]) });
  };
  const useDatabase = (): void => writeFileSync(at('state.db'), '');

  it('creates a secret at the first start and reads it later', () => {
    const first = open();
    useDatabase();
    expect(first.current).toMatch(/^[0-9a-f]{64}$/);
    expect(open()).toEqual(first);
  });

  it('writes the key of the workers on this machine to a private file, and renews it with the secret', () => {
    open(A);
    const first = readWorkerKey(at('worker-key'), undefined);
    expect(first).toEqual(computeSender(A, 'local'));
    expect(statSync(at('worker-key')).mode & 0o777).toBe(0o600);
    open(`${B}\n${A}`);
    expect(readWorkerKey(at('worker-key'), undefined)).toEqual(computeSender(B, 'local'));
    expect(readdirSync(directory.path).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('creates no secret if a database exists', () => {
    useDatabase();
    expect(() => open()).toThrow(/missing\. Restore it from your backup/);
    expect(existsSync(at('secret'))).toBe(false);
  });

  it('refuses a different secret if a database exists, and names the fix', () => {
    open(A);
    useDatabase();
    expect(() => open(B)).toThrow(
      /Restore the matching secret .*keep the old one below.*mergexo adopt --repo/s,
    );
    expect(() => open(B)).toThrow();
    expect(open(A).current).toBe(A);
  });

  it('accepts a renewed secret with the old key, and later without it', () => {
    open(A);
    useDatabase();
    expect(open(`${B}\n${A}`)).toEqual({ current: B, older: [A] });
    expect(open(B)).toEqual({ current: B, older: [] });
  });

  it('accepts any secret if the database comes from an older version, or after an operator has accepted it', () => {
    useDatabase();
    expect(open(A).current).toBe(A);
    rmSync(at('secret.fingerprint'));
    expect(open(B).current).toBe(B);
    expect(readFileSync(at('secret.fingerprint'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('accepts any secret if there is no database, because the database is rebuilt from GitHub', () => {
    open(A);
    expect(open(B).current).toBe(B);
  });
});
