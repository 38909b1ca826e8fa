import { spawn } from 'node:child_process';
import { gitEnv } from '../basics/git-env.js';

export type GitResult = { code: number; stdout: Buffer; stderr: string };
export type GitOptions = { input?: string | Buffer; env?: Record<string, string> };

/** A request from the twin to git that git refused: a bug of ours or a damaged repository. */
export class GitError extends Error {
  constructor(args: string[], result: GitResult) {
    super(`git ${args.join(' ')} failed with ${result.code}: ${result.stderr.trim()}`);
    this.name = 'GitError';
  }
}

/** Answers with git's exit code: several questions (is it an ancestor? does it merge?) are answered by it. */
export function askGit(dir: string, args: string[], options: GitOptions = {}): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-C', dir, ...args], { env: gitEnv(options.env), stdio: 'pipe' });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    // git may exit before it has read everything; its exit code tells what matters.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
    child.stdin.end(options.input ?? '');
  });
}

export async function runGitRaw(dir: string, args: string[], options: GitOptions = {}): Promise<Buffer> {
  const result = await askGit(dir, args, options);
  if (result.code !== 0) throw new GitError(args, result);
  return result.stdout;
}

export async function runGit(dir: string, args: string[], options: GitOptions = {}): Promise<string> {
  return (await runGitRaw(dir, args, options)).toString();
}
