import { z } from 'zod';
import { mustGit, withToken } from '../../testing/git.js';
import { type Client, createClient, type Target } from './client.js';

export type Bench = {
  client: Client;
  /** A clone that can push. */
  clone: string;
  /** Makes names that no earlier run has used. */
  unique(name: string): string;
  login: string;
  defaultBranch: string;
};
export type Case = { title: string; run(bench: Bench): Promise<void> };

export const Id = z.object({ id: z.number() });
export const Numbered = z.object({ number: z.number() });

export async function openBench(target: Target, dir: string): Promise<Bench> {
  const client = createClient(target);
  const { body: user } = await client.call('GET', '/user');
  const { body: repo } = await client.call('GET', '~');
  await mustGit(dir, 'clone', '-q', withToken(target.gitUrl, target.token), 'clone');
  const suffix = Date.now().toString(36);
  return {
    client,
    clone: `${dir}/clone`,
    unique: (name) => `${name}-${suffix}`,
    login: z.object({ login: z.string() }).parse(user).login,
    defaultBranch: z.object({ default_branch: z.string() }).parse(repo).default_branch,
  };
}
