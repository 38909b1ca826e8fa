import { type Config, isLoopbackUrl } from '@mergexo/config';
import { ADAPTER_NAMES, toAdapterName } from '@mergexo/core/agent';
import { Failure, UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';

export type InitOptions = {
  repo?: string;
  agent?: string;
  apiUrl?: string;
  command?: string[];
  dryRun?: boolean;
  labels?: boolean;
  compose?: boolean;
  /** Host name of the GitHub server, as an alternative to the URL of its API. */
  host?: string;
  app?: boolean;
  org?: string;
  webhookUrl?: string;
  workflows?: boolean;
  browser?: boolean;
};

/** Config values by dotted key, such as `repo.owner`. */
type Values = { [key: string]: string | string[] };

/** Variables with a key of an agent. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  codex: ['OPENAI_API_KEY'],
  claude: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
};

/** Asks for the repository and the agent if they are missing and there is a terminal. The repository is required. */
export async function askForMissing(
  { ask, env }: Pick<Context, 'ask' | 'env'>,
  options: InitOptions,
): Promise<Values> {
  const repo = options.repo ?? ((await ask?.('Which repository (owner/name)?')) || undefined);
  if (repo === undefined)
    throw new UsageError('No repository given: add --repo owner/name. Nothing was written.');
  const agent = options.agent ?? ((await ask?.('Which agent, codex or claude? [codex]')) || undefined);
  const { apiUrl } = options;
  checkAgent(agent, options.command);
  if (apiUrl !== undefined) checkApiUrl(apiUrl);
  // In containers, the agent has no login until somebody logs it in, so a given key is used.
  const keys = options.compose
    ? (KEYS[agent ?? 'codex'] ?? []).filter((name) => (env[name] ?? '') !== '')
    : [];
  return {
    ...parseRepo(repo),
    ...(keys.length > 0 && { 'agent.pass_env': keys }),
    ...(agent !== undefined && { 'agent.adapter': agent }),
    ...(options.apiUrl !== undefined && { 'github.api_url': options.apiUrl }),
    ...(options.command !== undefined && { 'command.argv': options.command }),
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
export function rejectConflictingOptions(config: Config, path: string, options: InitOptions): void {
  const { repo, agent, apiUrl, command } = options;
  const wanted = repo === undefined ? undefined : Object.values(parseRepo(repo)).join('/').toLowerCase();
  const conflicts = [
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
  if (conflicts.length === 0) return;
  throw new Failure(
    'conflict',
    `These options conflict with ${path}: ${conflicts.join(', ')}. Edit the file, or use another file with --config. Nothing was changed.`,
  );
}
