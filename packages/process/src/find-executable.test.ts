import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { findExecutable, keepAbsoluteEntries, readShebang } from './find-executable.js';

describe('findExecutable', () => {
  const place = createTemporaryDirectory();
  const at = (name: string): string => join(place.path, name);
  const searchPath = ['', '.', at('first'), at('second')].join(':');
  beforeAll(() => {
    for (const folder of ['first', 'second']) {
      mkdirSync(at(folder));
      writeFileSync(at(`${folder}/tool`), '#!/usr/bin/env -S node --flag\n', { mode: 0o755 });
    }
    writeFileSync(at('first/notes'), 'x');
    mkdirSync(at('first/folder'));
    chmodSync(at('first/folder'), 0o755);
  });
  afterAll(() => place.remove());

  it.each<[string, string, string | undefined]>([
    ['the first of its name on the search path', 'tool', 'first/tool'],
    ['an absolute path', at('second/tool'), 'second/tool'],
    ['no relative path', './tool', undefined],
    ['no file without the permission', 'notes', undefined],
    ['no directory', 'folder', undefined],
    ['nothing unknown', 'missing', undefined],
  ])('finds %s', (_what, name, expected) => {
    expect(findExecutable(name, searchPath)).toBe(expected && at(expected));
  });

  it('skips programs that the caller does not accept', () => {
    expect(findExecutable('tool', searchPath, (path) => path.includes('second'))).toBe(at('second/tool'));
  });

  it('drops search path entries that depend on the working directory', () => {
    expect(keepAbsoluteEntries(`:bin:/usr/bin:.:/bin`)).toBe('/usr/bin:/bin');
  });

  it('reads the interpreter of a script', () => {
    expect(readShebang(at('first/tool'))).toBe('/usr/bin/env -S node --flag');
    expect(readShebang(at('first/notes'))).toBeUndefined();
  });
});
