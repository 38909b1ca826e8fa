import { execFile } from 'node:child_process';
import { gitEnv } from '../basics/git-env.js';
import type { GitOptions, GitResult } from './git-result.js';
import { findMemoryRepo } from './memory/memory-repos.js';
import { runMemoryGit } from './memory/run-memory-git.js';

/**
 * Resolves with git's exit code, which is the result of commands such as `merge-base --is-ancestor`. Repositories in
 * memory answer without a process.
 */
export function askGit(dir: string, args: string[], options: GitOptions = {}): Promise<GitResult> {
  const memory = findMemoryRepo(dir);
  if (memory !== undefined) return Promise.resolve(runMemoryGit(memory, args, options));
  return new Promise((resolve) => {
    const execOptions = {
      env: gitEnv(options.env),
      encoding: 'buffer',
      maxBuffer: Number.POSITIVE_INFINITY,
    } as const;
    const child = execFile('git', ['-C', dir, ...args], execOptions, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr: stderr.toString() });
    });
    // Git may exit before it has read all input. The exit code reports real failures.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

/** Runs git and throws if it fails, which indicates a bug in the twin or a damaged repository. */
export async function runGitRaw(dir: string, args: string[], options: GitOptions = {}): Promise<Buffer> {
  const { code, stdout, stderr } = await askGit(dir, args, options);
  if (code !== 0) throw new Error(`git ${args.join(' ')} failed with ${code}: ${stderr.trim()}`);
  return stdout;
}

export async function runGit(dir: string, args: string[], options: GitOptions = {}): Promise<string> {
  return (await runGitRaw(dir, args, options)).toString();
}
