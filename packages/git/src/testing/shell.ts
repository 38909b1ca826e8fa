import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const SEARCH_PATH = process.env['PATH'] ?? '/usr/bin:/bin';
export const AUTHOR = { name: 'MergeXO', email: 'mergexo@example.test' };

const DEV = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: '/nonexistent', LC_ALL: 'C' };

/** Runs git as an agent or a person does, with the repository's own configuration and hooks. */
export function git(dir: string, ...args: string[]): string {
  const who = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.test'];
  const options = { cwd: dir, env: { PATH: SEARCH_PATH, ...DEV }, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('git', [...who, ...args], { ...options, maxBuffer: 1 << 28 }).trim();
}

export function write(dir: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
}

export function commit(
  dir: string,
  files: Readonly<Record<string, string | Buffer>>,
  message = 'Change',
): string {
  write(dir, files);
  git(dir, 'add', '-A');
  git(dir, 'commit', '-q', '--allow-empty', '-m', message);
  return git(dir, 'rev-parse', 'HEAD');
}

/** Creates a bare repository at `<dir>/remote.git` with these files on `main`, and a person's clone next to it. */
export function makeRemote(
  dir: string,
  files: Readonly<Record<string, string>>,
): { remote: string; clone: string } {
  const [remote, clone] = [join(dir, 'remote.git'), join(dir, 'clone')];
  const key = JSON.stringify(files);
  const template = templates.get(key) ?? makeTemplate(files);
  templates.set(key, template);
  cpSync(template, dir, { recursive: true });
  return { remote, clone };
}

/** One template per set of files, because copying is faster than running git. */
const templates = new Map<string, string>();

function makeTemplate(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'mx-template-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  const clone = join(dir, 'clone');
  mkdirSync(clone);
  git(dir, 'init', '-q', '--bare', '-b', 'main', 'remote.git');
  git(clone, 'init', '-q', '-b', 'main');
  git(clone, 'remote', 'add', 'origin', '../remote.git');
  commit(clone, files, 'First');
  git(clone, 'push', '-q', 'origin', 'main');
  return dir;
}
