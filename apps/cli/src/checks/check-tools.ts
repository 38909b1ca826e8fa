import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Finding } from './finding.js';

const run = promisify(execFile);

const MIN_NODE = 20;
/** The first git version with `merge-tree --write-tree` and safe defaults for shared repositories. */
const MIN_GIT = [2, 38] as const;

export async function checkTools(): Promise<Finding[]> {
  return [checkNode(process.versions.node), checkGit(await readGitVersion())];
}

export function checkNode(version: string): Finding {
  const detail = `Node ${version}`;
  if (Number(version.split('.')[0]) >= MIN_NODE) return { name: 'node', status: 'ok', detail };
  return { name: 'node', status: 'failure', detail, fix: `Install Node ${MIN_NODE} or newer.` };
}

export function checkGit(output: string | undefined): Finding {
  const [, major, minor] = /\b(\d+)\.(\d+)/.exec(output ?? '') ?? [];
  const fix = `Install git ${MIN_GIT.join('.')} or newer.`;
  if (major === undefined || minor === undefined) {
    return { name: 'git', status: 'failure', detail: 'git is not on the PATH', fix };
  }
  const detail = `git ${major}.${minor}`;
  const enough = Number(major) > MIN_GIT[0] || (Number(major) === MIN_GIT[0] && Number(minor) >= MIN_GIT[1]);
  return enough ? { name: 'git', status: 'ok', detail } : { name: 'git', status: 'failure', detail, fix };
}

async function readGitVersion(): Promise<string | undefined> {
  try {
    return (await run('git', ['--version'], { timeout: 10_000 })).stdout;
  } catch {
    return undefined;
  }
}
