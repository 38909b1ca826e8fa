import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { readWorkerKey, renderWorkerKey, writeWorkerKey } from './worker-key.js';

const sender = { name: 'build-2', key: 'a'.repeat(64) };

describe('the worker key', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let path: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    path = join(directory.path, 'worker-key');
  });
  afterEach(() => directory.remove());

  it('is undefined without a file, and the environment takes precedence over the file', () => {
    expect(readWorkerKey(path, undefined)).toBeUndefined();
    writeWorkerKey(path, sender);
    expect(readWorkerKey(path, undefined)).toEqual(sender);
    const other = { name: 'build-3', key: 'b'.repeat(64) };
    expect(readWorkerKey(path, renderWorkerKey(other))).toEqual(other);
  });

  it('is refused if other users can read its file', () => {
    writeWorkerKey(path, sender);
    chmodSync(path, 0o640);
    expect(() => readWorkerKey(path, undefined)).toThrow(/other users can read the worker key.*chmod 600/);
  });

  it.each([
    ['a name alone', 'build-2'],
    ['a key alone', 'a'.repeat(64)],
    ['a short key', `build-2:${'a'.repeat(63)}`],
    ['a key in capitals', `build-2:${'A'.repeat(64)}`],
    ['an empty name', `:${'a'.repeat(64)}`],
    ['a name with a path', `../x:${'a'.repeat(64)}`],
    ['a third part', `build-2:${'a'.repeat(64)}:x`],
  ])('is refused if it has %s, without printing it', (_name, text) => {
    expect(() => readWorkerKey(path, text)).toThrow(/MERGEXO_WORKER_KEY.*worker-key <name>/s);
    expect(() => readWorkerKey(path, text)).not.toThrow(/aaaa/i);
  });
});
