import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '@mergexo/config';
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
      logs: at('logs'),
      redis: at('redis'),
      workers: at('workers'),
    };
    return openSecret({ paths, signingSecret });
  };
  const useDatabase = (): void => writeFileSync(at('state.db'), '');

  it('makes one at a first start, and opens it from then on', () => {
    const first = open();
    useDatabase();
    expect(first.current).toMatch(/^[0-9a-f]{64}$/);
    expect(open()).toEqual(first);
  });

  it('makes none beside a database', () => {
    useDatabase();
    expect(() => open()).toThrow(/missing; restore it from your backup/);
    expect(existsSync(at('secret'))).toBe(false);
  });

  it('refuses another one beside a database, and names the fix', () => {
    open(A);
    useDatabase();
    expect(() => open(B)).toThrow(/Restore it .*keep the old one below.*mergexo adopt --repo/s);
    expect(() => open(B)).toThrow();
    expect(open(A).current).toBe(A);
  });

  it('takes a renewed one while the old key is still there, and then without it', () => {
    open(A);
    useDatabase();
    expect(open(`${B}\n${A}`)).toEqual({ current: B, older: [A] });
    expect(open(B)).toEqual({ current: B, older: [] });
  });

  it('takes any beside a database of an older version, and after somebody said so', () => {
    useDatabase();
    expect(open(A).current).toBe(A);
    rmSync(at('secret.fingerprint'));
    expect(open(B).current).toBe(B);
    expect(readFileSync(at('secret.fingerprint'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('takes any where the database is gone: it is made anew from GitHub', () => {
    open(A);
    expect(open(B).current).toBe(B);
  });
});
