import type { Config } from '@mergexo/config';
import { Failure, UsageError } from '@mergexo/core';
import type { Context } from '../context.js';

/** What may be said on the command line about a new configuration. */
export type Wishes = { repo?: string; agent?: string; apiUrl?: string; command?: string[] };

type Values = { [place: string]: string | string[] };

/** Asks for a missing repository and agent at a terminal. Without a repository there is nothing to write. */
export async function askForMissing({ ask }: Pick<Context, 'ask'>, wishes: Wishes): Promise<Values> {
  const repo = wishes.repo ?? ((await ask?.('Which repository (owner/name)?')) || undefined);
  if (repo === undefined)
    throw new UsageError('No repository was named: add --repo owner/name. Nothing was written.');
  const agent = wishes.agent ?? ((await ask?.('Which agent, codex or claude? [codex]')) || undefined);
  return {
    ...parseRepo(repo),
    ...(agent !== undefined && { 'agent.adapter': agent }),
    ...(wishes.apiUrl !== undefined && { 'github.api_url': wishes.apiUrl }),
    ...(wishes.command !== undefined && { 'command.argv': wishes.command }),
  };
}

function parseRepo(repo: string): Values {
  const [, owner, name] = /^(?:https:\/\/[^/]+\/)?(\w[\w-]*)\/([\w.-]+?)(?:\.git)?\/?$/.exec(repo) ?? [];
  if (owner === undefined || name === undefined) {
    throw new UsageError(`--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
  }
  return { 'repo.owner': owner, 'repo.name': name };
}

/** `init` may be repeated with the same words. Other words would be ignored, so they are refused. */
export function refuseOtherWishes(config: Config, path: string, wishes: Wishes): void {
  const { repo, agent, apiUrl, command } = wishes;
  const wanted = repo === undefined ? undefined : Object.values(parseRepo(repo)).join('/').toLowerCase();
  const others = [
    ...(wanted === undefined || config.repos.some(({ fullName }) => fullName.toLowerCase() === wanted)
      ? []
      : ['--repo']),
    ...(agent === undefined || agent === config.agent.adapter ? [] : ['--agent']),
    ...(apiUrl === undefined || apiUrl === config.github.apiUrl ? [] : ['--api-url']),
    ...(command === undefined || JSON.stringify(command) === JSON.stringify(config.command.argv)
      ? []
      : ['--command']),
  ];
  if (others.length === 0) return;
  throw new Failure(
    'conflict',
    `${path} says otherwise than ${others.join(' and ')}. Edit it, or choose another file with --config. Nothing was changed.`,
  );
}
