import { join } from 'node:path';
import type { Twin } from '@mergexo/github-twin';
import { ROOT } from './fleet.js';
import type { Script } from './scripted-agent.js';

const AGENT = join(ROOT, 'tests/dist/fleet/scripted-agent.js');
/** The window is short, so that tests do not wait long for delayed GitHub responses. */
export const WINDOW_SECONDS = 2;

export type WalkOptions = {
  sandbox?: 'auto' | 'none';
  /** Instructions for the agent, if the issue's body contains none. */
  script?: Script;
  /** More files on the default branch. */
  files?: Record<string, string>;
  /** The default is `debug`, so that the output of a failed test contains more details. */
  logLevel?: 'debug' | 'info';
  repoKeys?: string;
  agentKeys?: string;
  githubKeys?: string;
  limits?: string;
  debounceSeconds?: number;
  pollSeconds?: number;
  windowSeconds?: number;
  /** Mean delay of each API response of the twin. */
  latencyMs?: number;
  /** Keys of `[review]`. Without these keys, MergeXO reviews nothing. */
  review?: string;
  /** Also watches a second repository. */
  withOtherRepo?: boolean;
  /** The directory whose programs run, such as the unpacked npm package. The default is this checkout. */
  programs?: string;
  /** Sends webhooks from the twin to the poller, at this port. */
  webhookPort?: number;
  /** Runs MergeXO as the GitHub App `mergexo`, whose tokens live this long. MergeXO then has no other login. */
  appTokenSeconds?: number;
  /** Adds a proxy in front of Redis that can drop all packets. */
  withProxy?: boolean;
};

/** Renders the configuration file of a walk. */
export function renderWalkConfig({
  options,
  twin,
  base,
  redisUrl,
  agentArgs,
  appKeys,
}: {
  options: WalkOptions;
  twin: Twin;
  base: string;
  redisUrl: string;
  agentArgs: string[];
  /** Files with the keys of the App, if MergeXO runs as one. */
  appKeys: string[];
}): string {
  return `
[runtime]
base_dir = ${JSON.stringify(base)}
poll_interval_seconds = ${options.pollSeconds ?? 0.5}
visibility_window_seconds = ${options.windowSeconds ?? WINDOW_SECONDS}
write_spacing_seconds = 0
feedback_debounce_seconds = ${options.debounceSeconds ?? 0.3}
drain_grace_seconds = 2
log_level = "${options.logLevel ?? 'debug'}"
[github]
api_url = ${JSON.stringify(twin.apiUrl)}
${options.githubKeys ?? ''}
${renderApp(twin, appKeys)}
[redis]
url = ${JSON.stringify(redisUrl)}
[agent]
adapter = "command"
sandbox = "${options.sandbox ?? 'none'}"
timeout_seconds = 60
silence_seconds = 60
${options.agentKeys ?? ''}
[command]
argv = ${JSON.stringify([process.execPath, AGENT, ...agentArgs])}
${options.limits ?? ''}
${options.webhookPort === undefined ? '' : `[webhook]\nlisten = "127.0.0.1:${options.webhookPort}"`}
[review]
${options.review ?? 'enabled = false'}
[repo.app]
owner = "alice"
name = "app"
remote_url = ${JSON.stringify(twin.gitUrl('alice', 'app'))}
${options.repoKeys ?? ''}
${options.withOtherRepo ? renderOtherRepo(twin) : ''}
`;
}

function renderApp(twin: Twin, [first, second]: string[]): string {
  if (first === undefined || second === undefined) return '';
  return `[github.app]
client_id = ${JSON.stringify(twin.app('mergexo').clientId)}
private_key_path = ${JSON.stringify(first)}
second_private_key_path = ${JSON.stringify(second)}`;
}

function renderOtherRepo(twin: Twin): string {
  return `[repo.lib]
owner = "alice"
name = "lib"
remote_url = ${JSON.stringify(twin.gitUrl('alice', 'lib'))}
`;
}
