import { layOut } from '../base-dir/layout.js';
import { git } from '../testing/shell.js';
import { isBranchName } from './check-names.js';
import { parseRemote } from './parse-remote.js';

describe('a branch name', () => {
  it.each([
    'main',
    'agent/bugfix/7-crash',
    'feature/ä',
    'a.b',
    'x@y',
    'release-1.0',
    "it's",
    '$(id)',
    'a;rm',
  ])('can be %s, as in git', (name) => {
    expect(isBranchName(name)).toBe(true);
    expect(git('/', 'check-ref-format', '--branch', name)).toBe(name);
  });

  it.each([
    '',
    '-x',
    '--upload-pack=x',
    'agent/-x',
    'a..b',
    '../x',
    'a/../b',
    '/x',
    'x/',
    'a//b',
    '.x',
    'a/.x',
    'x.',
    'x.lock',
    'a.lock/b',
    'a b',
    'a\nb',
    'a\0b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    '@',
    'x'.repeat(201),
  ])('cannot be %j', (name) => expect(isBranchName(name)).toBe(false));
});

describe('a repository', () => {
  const repo = {
    owner: 'acme',
    name: 'app',
    remoteUrl: 'https://github.com/acme/app.git',
    defaultBranch: 'main',
  };

  it.each(['..', '.', '', 'a/b', 'a\\b', 'a b', 'a\0b', 'x'.repeat(101)])('cannot be named %j', (name) => {
    expect(() => layOut('/base', { ...repo, name })).toThrow('is not a valid owner or name');
    expect(() => layOut('/base', { ...repo, owner: name })).toThrow('is not a valid owner or name');
  });

  it('can be named .github', () => {
    expect(layOut('/base', { ...repo, name: '.github' }).mirror).toBe('/base/repos/acme/.github.git');
  });

  it.each([
    ['https://github.com/acme/app.git', 'https', 'https://github.com'],
    ['http://127.0.0.1:4000/acme/app.git', 'http', 'http://127.0.0.1:4000'],
    ['http://github.localhost:4000/acme/app.git', 'http', 'http://github.localhost:4000'],
    ['http://127.9.9.9/acme/app.git', 'http', 'http://127.9.9.9'],
    ['/srv/app.git', 'file', undefined],
    ['git@github.com:acme/app.git', 'ssh', undefined],
    ['git@git.example.org:/srv/acme/app.git', 'ssh', undefined],
    ['ssh://git@github.com/acme/app.git', 'ssh', undefined],
    ['ssh://git@ssh.github.com:443/acme/app.git', 'ssh', undefined],
    ['ssh://git@[::1]:22/acme/app.git', 'ssh', undefined],
    ['file:///srv/app.git', 'file', undefined],
  ])('can have the remote %s', (url, protocol, origin) => {
    expect(parseRemote(url)).toEqual({ url, protocol, origin });
  });

  it.each([
    'ext::sh -c id',
    'git@-oProxyCommand=id:acme/app.git',
    '-oProxyCommand=id@github.com:acme/app.git',
    'git@github.com:-x/app.git',
    'git@github.com:acme/$(id).git',
    'git@github.com:acme/app.git\nx',
    'ssh://-oProxyCommand=id/acme/app.git',
    'ssh://%2DoProxyCommand=id/acme/app.git',
    'ssh://git:secret@github.com/acme/app.git',
    'ssh://git@github.com/-x/app.git',
    'ssh://git@github.com',
    'git+ssh://git@github.com/acme/app.git',
    'git://github.com/acme/app.git',
    'http://github.com/acme/app.git',
    'https://x-access-token:secret@github.com/acme/app.git',
    '--upload-pack=id',
    'relative/path',
    '',
  ])('cannot have the remote %j', (url) => {
    expect(() => parseRemote(url)).toThrow(/the remote/);
    expect(() => parseRemote(url)).not.toThrow(/secret/);
  });
});
