import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createKeyDraft, findKeys } from './key-file.js';

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n';

describe('the key file of an App', () => {
  const pathTo = useTemporaryDirectory();

  it('is readable by its owner only, before and after the key is in it', () => {
    const draft = createKeyDraft(pathTo('data'), 'github.com');
    const [name = ''] = readdirSync(pathTo('data'));
    expect(statSync(pathTo('data')).mode & 0o777).toBe(0o700);
    expect(statSync(pathTo('data', name)).mode & 0o777).toBe(0o600);
    const path = draft.keep('Iv23liABC', PEM);
    draft.discard();
    expect(path).toBe(pathTo('data', 'github-app-github.com-Iv23liABC.pem'));
    expect(readFileSync(path, 'utf8')).toBe(PEM);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(pathTo('data'))).toHaveLength(1);
  });

  it('leaves no file behind if no key was stored, and replaces the draft of a crashed run', () => {
    createKeyDraft(pathTo(), 'github.com');
    createKeyDraft(pathTo(), 'github.com').discard();
    expect(readdirSync(pathTo())).toEqual([]);
  });

  it('fails before GitHub shows the key if there is no place for it', () => {
    writeFileSync(pathTo('file'), '');
    expect(() => createKeyDraft(pathTo('file', 'data'), 'github.com')).toThrow(/ENOTDIR|EEXIST/);
  });

  it.each(['../evil', 'a/b', '', '-x', 'a b', 'x'.repeat(101)])('refuses the client id %j', (clientId) => {
    const draft = createKeyDraft(pathTo('data'), 'github.com');
    expect(() => draft.keep(clientId, PEM)).toThrow('invalid client id');
    draft.discard();
    expect(readdirSync(pathTo('data'))).toEqual([]);
  });

  it('is found by a later run, for the same host only', () => {
    const keep = (host: string, clientId: string) => {
      const draft = createKeyDraft(pathTo(), host);
      const path = draft.keep(clientId, PEM);
      draft.discard();
      return { clientId, path };
    };
    const ours = keep('ghe.test', 'Iv1.abc');
    keep('ghe.test-2', 'Iv1.def');
    keep('github.com', 'Iv1.ghi');
    mkdirSync(pathTo('github-app-ghe.test-x'));
    writeFileSync(pathTo('github-app-ghe.test-a b.pem'), '');
    expect(findKeys(pathTo(), 'ghe.test')).toEqual([ours]);
    expect(findKeys(pathTo('missing'), 'ghe.test')).toEqual([]);
    expect(existsSync(ours.path)).toBe(true);
  });
});
