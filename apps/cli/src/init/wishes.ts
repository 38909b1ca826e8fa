import { Failure } from '@mergexo/core';
import type { Context } from '../context.js';

/** What may be said on the command line about a new configuration. */
export type Wishes = { repo?: string; agent?: string; apiUrl?: string; command?: string[] };

type Values = { [place: string]: string | string[] };

/** Whatever was not said is asked for where there is a terminal; else the example's value stands. */
export async function askForMissing({ ask }: Pick<Context, 'ask'>, wishes: Wishes): Promise<Values> {
  const repo = wishes.repo ?? ((await ask?.('Which repository (owner/name)?')) || undefined);
  const agent = wishes.agent ?? ((await ask?.('Which agent, codex or claude? [codex]')) || undefined);
  return {
    ...(repo !== undefined && parseRepo(repo)),
    ...(agent !== undefined && { 'agent.adapter': agent }),
    ...(wishes.apiUrl !== undefined && { 'github.api_url': wishes.apiUrl }),
    ...(wishes.command !== undefined && { 'command.argv': wishes.command }),
  };
}

function parseRepo(repo: string): Values {
  const [, owner, name] = /^(?:https:\/\/[^/]+\/)?(\w[\w-]*)\/([\w.-]+?)(?:\.git)?\/?$/.exec(repo) ?? [];
  if (owner === undefined || name === undefined) {
    throw new Failure('invalid-data', `--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
  }
  return { 'repo.owner': owner, 'repo.name': name };
}
