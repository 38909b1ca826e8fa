import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { gitEnv } from '../basics/git-env.js';

/** A git command that can be killed with all its helpers, as a machine that goes down would. */
export function startGit(cwd: string, ...args: string[]): { ended: Promise<unknown>; kill(): void } {
  const child: ChildProcess = spawn('git', args, { cwd, env: gitEnv(), stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  return { ended, kill };
}

/** The processes of git that work for the twin whose state lies in `root`. */
export function listBackends(root: string): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readQuietly(`/proc/${pid}/environ`).includes(`GIT_PROJECT_ROOT=${root}/`));
}

function readQuietly(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
