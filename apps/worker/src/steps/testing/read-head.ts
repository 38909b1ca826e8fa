import { execFileSync } from 'node:child_process';

/** The head of a branch in a bare repository on this machine. */
export function readHead(repoDir: string, branch: string): string {
  const args = ['-C', repoDir, 'rev-parse', '--verify', `refs/heads/${branch}`];
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
