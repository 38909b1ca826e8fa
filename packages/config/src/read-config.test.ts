import { writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { ConfigError } from './parse/config-error.js';
import { readConfig } from './read-config.js';

const options = { homeDir: '/home/ada' };
const pathTo = useTemporaryDirectory();

function write(content: string | Uint8Array): string {
  const path = pathTo('mergexo.toml');
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

  it('explains how to create a missing file', () => {
    expect(complaintAbout(pathTo('absent.toml'))).toBe(
      'FILE has 1 problem:\n  the file does not exist; run `npx mergexo init` to create it, or use another file with --config',
    );
  });

  it('names the file in its message', () => {
    expect(complaintAbout(write('[runtime'))).toMatch(/^FILE has 1 problem:\n {2}line 1, column /);
  });

  it.each([
    ['a directory', () => pathTo(), 'the file cannot be read (EISDIR)'],
    ['bytes that are not text', () => write(Uint8Array.of(0x61, 0xff, 0xfe)), 'the file is not UTF-8 text'],
    [
      'a huge file',
      () => write('#'.repeat(1_100_000)),
      'the file is larger than 1 MiB, so it cannot be a MergeXO config',
    ],
  ])('rejects %s', (_title, path, message) => {
    expect(complaintAbout(path())).toBe(`FILE has 1 problem:\n  ${message}`);
  });
});
