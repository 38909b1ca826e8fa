import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, write } from './shell.js';

/** Sets a trap in a slot. `trap(name)` returns a program that creates a marker of that name when it runs. */
export type Vector = (slot: string, trap: (name: string) => string) => void;

const HOOKS = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-checkout',
  'pre-push',
  'reference-transaction',
  'post-index-change',
  'post-merge',
  'pre-auto-gc',
];

/** Settings of the slot's own repository that make git start a program. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  fsmonitor: ['core.fsmonitor'],
  pager: ['core.pager', 'pager.log', 'pager.diff'],
  editor: ['core.editor', 'sequence.editor'],
  'ssh command': ['core.sshCommand'],
  'git proxy': ['core.gitProxy'],
  askpass: ['core.askPass'],
  'external diff': ['diff.external'],
  'pack objects hook': ['uploadpack.packObjectsHook'],
  'alternate refs command': ['core.alternateRefsCommand'],
  'gpg program': ['gpg.program', 'gpg.ssh.program'],
  'filter: clean and smudge': ['filter.trap.clean', 'filter.trap.smudge'],
  'filter: process': ['filter.trap.process'],
  'large file storage': ['filter.lfs.clean', 'filter.lfs.smudge', 'filter.lfs.process'],
  textconv: ['diff.trap.textconv', 'diff.trap.command'],
  'merge driver': ['merge.trap.driver'],
  trailer: ['trailer.trap.command', 'trailer.trap.cmd'],
};

const SHELL_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'credential helper': ['credential.helper'],
  alias: ['alias.add', 'alias.push', 'alias.fetch', 'alias.read-tree'],
};

function set(slot: string, key: string, value: string): void {
  git(slot, 'config', '--file', join(slot, '.git/config'), key, value);
}

function setting(keys: readonly string[], name: string, shell: boolean): Vector {
  return (slot, trap) => {
    for (const key of keys) set(slot, key, `${shell ? '!' : ''}${trap(name)}`);
  };
}

const FIXED: Readonly<Record<string, Vector>> = {
  'hooks path': (slot, trap) => {
    mkdirSync(join(slot, '.git/trapped-hooks'), { recursive: true });
    for (const hook of HOOKS) writeProgram(join(slot, '.git/trapped-hooks', hook), trap('hooks path'));
    set(slot, 'core.hooksPath', join(slot, '.git/trapped-hooks'));
  },
  include: (slot, trap) => {
    write(slot, { '.git/more': `[core]\n\tfsmonitor = ${trap('include')}\n\tpager = ${trap('include')}\n` });
    set(slot, 'include.path', join(slot, '.git/more'));
  },
  'commit signing': (slot) => set(slot, 'commit.gpgSign', 'true'),
  attributes: (slot) => {
    write(slot, { '.gitattributes': '* filter=trap diff=trap merge=trap\n*.bin filter=lfs\n' });
    write(slot, { '.git/info/attributes': '* filter=trap diff=trap merge=trap\n', 'x.bin': 'x\n' });
  },
  'work tree elsewhere': (slot) => set(slot, 'core.worktree', '/tmp'),
  'submodule with an ext:: address': (slot, trap) => {
    const url = `ext::${trap('submodule')} %S`;
    write(slot, { '.gitmodules': `[submodule "m"]\n\tpath = vendored\n\turl = ${url}\n\tupdate = none\n` });
    set(slot, 'submodule.m.url', url);
    set(slot, 'submodule.m.update', `!${trap('submodule')}`);
    set(slot, 'submodule.recurse', 'true');
  },
  'nested repository': (slot, trap) => {
    mkdirSync(join(slot, 'nested'), { recursive: true });
    git(join(slot, 'nested'), 'init', '-q');
    git(join(slot, 'nested'), 'commit', '-q', '--allow-empty', '-m', 'x');
    spoilRepository(join(slot, 'nested/.git'), trap('nested repository'));
    write(slot, { 'nested/file.txt': 'x\n', 'nested/.gitattributes': '* filter=trap\n' });
  },
  'nested bare repository': (slot, trap) => {
    git(slot, 'init', '-q', '--bare', join(slot, 'bare'));
    spoilRepository(join(slot, 'bare'), trap('nested bare repository'));
  },
  'repository in a submodule’s place': (slot, trap) => {
    git(join(slot, 'vendored'), 'init', '-q');
    git(join(slot, 'vendored'), 'commit', '-q', '--allow-empty', '-m', 'x');
    write(slot, { 'vendored/.gitattributes': '* filter=trap\n', 'vendored/file.txt': 'x\n' });
    git(join(slot, 'vendored'), 'add', '-A');
    spoilRepository(join(slot, 'vendored/.git'), trap('repository in a submodule’s place'));
    write(slot, { 'vendored/file.txt': 'y\n' });
  },
};

/** Each vector runs code when git uses the slot's own repository. */
export const VECTORS: Readonly<Record<string, Vector>> = {
  ...Object.fromEntries(
    HOOKS.map((hook): [string, Vector] => [
      `hook ${hook}`,
      (slot, trap) => writeProgram(join(slot, '.git/hooks', hook), trap(`hook ${hook}`)),
    ]),
  ),
  ...Object.fromEntries(Object.entries(SETTINGS).map(([name, keys]) => [name, setting(keys, name, false)])),
  ...Object.fromEntries(
    Object.entries(SHELL_SETTINGS).map(([name, keys]) => [name, setting(keys, name, true)]),
  ),
  ...FIXED,
};

function spoilRepository(gitDir: string, program: string): void {
  const keys = [
    'core.fsmonitor',
    'filter.trap.clean',
    'filter.trap.smudge',
    'core.hooksPath',
    'diff.external',
  ];
  for (const key of keys) git(gitDir, 'config', '--file', join(gitDir, 'config'), key, program);
}

export function writeProgram(path: string, target: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec ${target} "$@"\n`);
  chmodSync(path, 0o755);
}
