import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { gitEnv } from '../basics/git-env.js';

export type Ran = { code: number; stdout: string; stderr: string };

/** Runs git with a fixed author and without the machine's configuration. */
export function git(cwd: string, ...args: string[]): Promise<Ran> {
  const who = {
    GIT_AUTHOR_NAME: 'Dev',
    GIT_AUTHOR_EMAIL: 'dev@example.test',
    GIT_COMMITTER_NAME: 'Dev',
    GIT_COMMITTER_EMAIL: 'dev@example.test',
  };
  return run('git', args, { cwd, env: gitEnv(who) });
}

type Surroundings = { cwd: string; env: Record<string, string> };

export function run(file: string, args: string[], { cwd, env }: Surroundings): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs git and throws if it fails. */
export async function mustGit(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await git(cwd, ...args);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

export function withToken(url: string, token: string): string {
  return url.replace('://', `://x-access-token:${token}@`);
}

/** Writes a file, commits it and returns the commit's sha. */
export async function commitFile(dir: string, name: string, content: string | Buffer): Promise<string> {
  fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
  fs.writeFileSync(path.join(dir, name), content);
  await mustGit(dir, 'add', '-A');
  await mustGit(dir, 'commit', '-q', '-m', `Write ${name}`);
  return mustGit(dir, 'rev-parse', 'HEAD');
}
