import { chmodSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { readAppKeys } from './app-keys.js';

describe('readAppKeys', () => {
  const pathTo = useTemporaryDirectory();
  const write = (name: string): string => {
    writeFileSync(pathTo(name), `key ${name}`, { mode: 0o600 });
    return pathTo(name);
  };

  it('returns both keys, the preferred one first', () => {
    const paths = { privateKeyPath: write('new.pem'), secondPrivateKeyPath: write('old.pem') };
    expect(readAppKeys(paths)).toEqual(['key new.pem', 'key old.pem']);
  });

  it('needs only one of the files, so that an old key can be deleted', () => {
    const paths = { privateKeyPath: pathTo('missing.pem'), secondPrivateKeyPath: write('old.pem') };
    expect(readAppKeys(paths)).toEqual(['key old.pem']);
    expect(() => readAppKeys({ privateKeyPath: pathTo('missing.pem') })).toThrow(
      /missing\.pem does not exist\. Store the private key/,
    );
  });

  it('refuses a key that other users can read', () => {
    const privateKeyPath = write('open.pem');
    chmodSync(privateKeyPath, 0o644);
    expect(() => readAppKeys({ privateKeyPath })).toThrow(/other users can read.*chmod 600/);
  });
});
