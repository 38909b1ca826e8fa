import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './parse/config-error.js';
import { readConfig } from './read-config.js';

const options = { homeDir: '/home/ada' };
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mergexo-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(content: string | Uint8Array): string {
  const path = join(folder, 'mergexo.toml');
  writeFileSync(path, content);
  return path;
}

function complaintAbout(path: string): string {
  try {
    readConfig(path, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(path, 'FILE');
    throw error;
  }
  return 'none';
}

describe('readConfig', () => {
  it('reads a file', () => {
    const config = readConfig(write('[repo.main]\nowner = "octo"\nname = "x"\n'), options);
    expect(config.repos[0]?.fullName).toBe('octo/x');
  });

  it('tells whoever has no file yet how to get one', () => {
    expect(complaintAbout(join(folder, 'absent.toml'))).toBe(
      'FILE has 1 problem:\n  the file does not exist; run `npx mergexo init` to write one, or name another file with --config',
    );
  });

  it('names the file in its complaints', () => {
    expect(complaintAbout(write('[runtime'))).toMatch(/^FILE has 1 problem:\n {2}line 1, column /);
  });

  it.each([
    ['a directory', () => folder, 'the file cannot be read (EISDIR)'],
    ['bytes that are no text', () => write(Uint8Array.of(0x61, 0xff, 0xfe)), 'the file is not UTF-8 text'],
    ['something huge', () => write('#'.repeat(1_100_000)), 'is larger than 1 MiB; this is no configuration'],
  ])('refuses %s', (_title, path, message) => {
    expect(complaintAbout(path())).toBe(`FILE has 1 problem:\n  ${message}`);
  });
});
