import { type Config, isLoopbackUrl } from '@mergexo/config';
import { ADAPTER_NAMES, toAdapterName } from '@mergexo/core/agent';
import { Failure, UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';

/** Options of `init` that set values in a new config. */
export type Wishes = { repo?: string; agent?: string; apiUrl?: string; command?: string[] };

type Values = { [place: string]: string | string[] };

/** Asks for the repository and the agent if they are missing and there is a terminal. The repository is required. */
export async function askForMissing({ ask }: Pick<Context, 'ask'>, wishes: Wishes): Promise<Values> {
  const repo = wishes.repo ?? ((await ask?.('Which repository (owner/name)?')) || undefined);
  if (repo === undefined)
    throw new UsageError('No repository given: add --repo owner/name. Nothing was written.');
  const agent = wishes.agent ?? ((await ask?.('Which agent, codex or claude? [codex]')) || undefined);
  const { apiUrl } = wishes;
  checkAgent(agent, wishes.command);
  if (apiUrl !== undefined) checkApiUrl(apiUrl);
  return {
    ...parseRepo(repo),
    ...(agent !== undefined && { 'agent.adapter': agent }),
    ...(wishes.apiUrl !== undefined && { 'github.api_url': wishes.apiUrl }),
    ...(wishes.command !== undefined && { 'command.argv': wishes.command }),
  };
}

function checkAgent(agent: string | undefined, command: readonly string[] | undefined): void {
  if (agent !== undefined && toAdapterName(agent) === undefined)
    throw new UsageError(
      `--agent must be one of ${ADAPTER_NAMES.join(', ')}, not ${JSON.stringify(agent)}. Nothing was written.`,
    );
  if (agent === 'command' && command === undefined)
    throw new UsageError(
      '--agent command runs your own program: add --command <program> with its arguments. Nothing was written.',
    );
}

function checkApiUrl(apiUrl: string): void {
  if (URL.canParse(apiUrl) && (apiUrl.startsWith('https://') || isLoopbackUrl(apiUrl))) return;
  throw new UsageError(
    `--api-url must be an https:// URL, or an http:// URL on this machine, not ${JSON.stringify(apiUrl)}. Nothing was written.`,
  );
}

function parseRepo(repo: string): Values {
  const [, owner, name] = /^(?:https:\/\/[^/]+\/)?(\w[\w-]*)\/([\w.-]+?)(?:\.git)?\/?$/.exec(repo) ?? [];
  if (owner === undefined || name === undefined) {
    throw new UsageError(`--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
  }
  return { 'repo.owner': owner, 'repo.name': name };
}

/** Rejects options that differ from the existing config, because they would have no effect. */
export function refuseOtherWishes(config: Config, path: string, wishes: Wishes): void {
  const { repo, agent, apiUrl, command } = wishes;
  const wanted = repo === undefined ? undefined : Object.values(parseRepo(repo)).join('/').toLowerCase();
  const others = [
    ...(wanted === undefined || config.repos.some(({ fullName }) => fullName.toLowerCase() === wanted)
      ? []
      : [`--repo (the file has ${config.repos.map(({ fullName }) => fullName).join(', ')})`]),
    ...(agent === undefined || agent === config.agent.adapter
      ? []
      : [`--agent (the file has ${config.agent.adapter})`]),
    ...(apiUrl === undefined || apiUrl === config.github.apiUrl
      ? []
      : [`--api-url (the file has ${config.github.apiUrl})`]),
    ...(command === undefined || JSON.stringify(command) === JSON.stringify(config.command.argv)
      ? []
      : ['--command']),
  ];
  if (others.length === 0) return;
  throw new Failure(
    'conflict',
    `These options conflict with ${path}: ${others.join(', ')}. Edit the file, or use another one with --config. Nothing was changed.`,
  );
}
