import { existsSync, realpathSync } from 'node:fs';
import { ADAPTER_NAMES, type AdapterName, type AgentRequest, toAdapterName } from '@mergexo/core/agent';
import type { PermissionMode } from './claude/build-claude-args.js';
import { createClaudeAgent } from './claude/claude.js';
import { CLAUDE } from './claude/claude-cli.js';
import { type Cli, findUserHome } from './cli/cli.js';
import { findModel, findProxyVariable } from './cli/find-model.js';
import { createCodexAgent } from './codex/codex.js';
import { CODEX } from './codex/codex-cli.js';
import { chooseCodexSandbox } from './codex/codex-sandbox.js';
import { createCommandAgent } from './command/command.js';
import {
  chooseNetwork,
  type Model,
  type NetworkChoice,
  type NetworkSettings,
} from './network/choose-network.js';
import type { Host } from './run/run-confined.js';
import type { Nesting } from './run/try-nesting.js';
import type { Limits } from './run/watch-limits.js';
import { isSystemPath } from './sandbox/bubblewrap.js';
import { createOutputRedact } from './sandbox/environment.js';
import { type Bubblewrap, chooseSandbox, type Sandbox, type SandboxMode } from './sandbox/sandbox.js';
import type { Agent, CommandAccess } from './turn/agent.js';
import { withTurnLog } from './turn/turn-log.js';

type CliConfig = { binary: string; extraArgs: readonly string[] };

/** The adapters' sections of the configuration, and the section with the network policy. */
type AdapterSettings = {
  sandbox?: NetworkSettings;
  codex?: CliConfig & { profile?: string | undefined; ownSandbox?: 'required' | 'optional' };
  claude?: CliConfig & { permissionMode: PermissionMode };
  command?: { argv?: readonly string[] | undefined };
};

export type AgentsOptions = {
  host: Omit<Host, 'sandbox' | 'network'>;
  sandbox: SandboxMode;
  bubblewrap: Bubblewrap;
  /** The result of the worker's probe at startup; undefined if Codex was not installed. */
  codexProbe?: Nesting | undefined;
  /** Whether Claude Code's commands can have their own sandbox; undefined if the worker did not test it. */
  claudeProbe?: Nesting | undefined;
  limits: Limits;
  settings: AdapterSettings;
  /** Returns the model of an adapter for a turn, or undefined to let the agent choose. */
  modelOf?: (request: AgentRequest, adapter: string) => string | undefined;
  /** The directory for the event logs of running turns. */
  turnLogs?: string;
  /** Called with the tokens of each login that MergeXO lends to an agent. */
  onLogin?: (secrets: readonly string[]) => void;
};

type FoundAgent = { kind: 'ready'; agent: Agent } | { kind: 'refused'; reason: string };

export type Agents = { find(adapter: string): FoundAgent };

type Confined = Omit<AgentsOptions, 'host'> & { host: Host };
type Adapter = {
  hasOwnSandbox: boolean;
  /** A model provider's program. Undefined if the operator configures the program. */
  cli?: Cli;
  create(options: Confined): FoundAgent;
};

export const ADAPTERS: Readonly<Record<AdapterName, Adapter>> = {
  codex: {
    hasOwnSandbox: true,
    cli: CODEX,
    create: (options) => {
      const { codex } = options.settings;
      const common = buildCliOptions(CODEX, codex, options);
      const choice = chooseCodexSandbox(options, options.host.sandbox);
      if (choice.kind === 'refused') return choice;
      const { sandbox } = choice;
      return { kind: 'ready', agent: createCodexAgent({ ...common, profile: codex?.profile, sandbox }) };
    },
  },
  claude: {
    hasOwnSandbox: false,
    cli: CLAUDE,
    create: (options) => {
      const { claude } = options.settings;
      const common = buildCliOptions(CLAUDE, claude, options);
      return { kind: 'ready', agent: createClaudeAgent({ ...common, ...chooseClaudeCommands(options) }) };
    },
  },
  command: {
    hasOwnSandbox: false,
    create: (options) => {
      const { limits, host } = options;
      const [program, ...args] = options.settings.command?.argv ?? [];
      if (program === undefined)
        return { kind: 'refused', reason: 'no agent program is configured; set `argv` in [command]' };
      return {
        kind: 'ready',
        agent: createCommandAgent({ host, argv: [program, ...args], limits, hosts: listHosts(options) }),
      };
    },
  },
};

const now = () => new Date();

function buildCliOptions(cli: Cli, config: CliConfig | undefined, options: Confined) {
  const { host, limits, onLogin } = options;
  const { binary = cli.name, extraArgs = [] } = config ?? {};
  const modelOf = (request: AgentRequest) => options.modelOf?.(request, cli.name);
  const userHome = findUserHome(cli, host.env);
  const hosts = listHosts(options);
  return { host, limits, binary, extraArgs, userHome, now, modelOf, onLogin, hosts };
}

/** Lists the hosts that commands can reach, without the model's hosts. */
function listHosts({ host, settings }: Confined): CommandAccess['hosts'] {
  if (host.network === undefined || host.network === 'all') return 'all';
  return settings.sandbox?.network === 'allow-list' ? settings.sandbox.allowedHosts : [];
}

/** In the default mode, Claude Code runs commands only in a sandbox that protects its login. */
export function chooseClaudeCommands({
  settings,
  claudeProbe,
}: Pick<AgentsOptions, 'settings' | 'claudeProbe'>) {
  const { permissionMode = 'acceptEdits' } = settings.claude ?? {};
  return {
    permissionMode,
    sandboxesCommands: permissionMode === 'acceptEdits' && claudeProbe?.kind === 'works',
  };
}

/** Finds adapters by name. Reports a missing sandbox when an adapter is chosen, not when it first runs. */
export function createAgents(options: AgentsOptions): Agents {
  const cache = new Map<string, FoundAgent>();
  return {
    find: (name) => {
      const known = cache.get(name);
      if (known !== undefined) return known;
      const adapterName = toAdapterName(name);
      if (adapterName === undefined)
        return {
          kind: 'refused',
          reason: `this worker has no adapter "${name}"; use one of ${ADAPTER_NAMES.join(', ')}`,
        };
      const adapter = ADAPTERS[adapterName];
      const choice = chooseSandbox(options.sandbox, options.bubblewrap, adapter.hasOwnSandbox);
      if (choice.kind === 'refused') return choice;
      if (choice.sandbox.kind === 'bwrap' && isShown(options.host.runsDir)) {
        const reason = `${options.host.runsDir} is in a system directory that every agent can read; move \`base_dir\` out of it`;
        return { kind: 'refused', reason };
      }
      const network = chooseAdapterNetwork(adapterName, choice.sandbox, options);
      if (network.kind === 'refused') return network;
      const host = { ...options.host, sandbox: choice.sandbox, network: network.network };
      const found = addLog(adapter.create({ ...options, host }), options);
      cache.set(name, found);
      return found;
    },
  };
}

/** Chooses the hosts that an adapter's program may reach. */
export function chooseAdapterNetwork(
  name: AdapterName,
  sandbox: Sandbox,
  { host, settings }: Pick<AgentsOptions, 'host' | 'settings'>,
): NetworkChoice {
  const { cli } = ADAPTERS[name];
  const extraArgs = name === 'command' ? [] : (settings[name]?.extraArgs ?? []);
  const profile = name === 'codex' ? settings.codex?.profile : undefined;
  const model: Model = cli === undefined ? { kind: 'unknown' } : findModel(cli, { host, extraArgs, profile });
  const about = { sandbox, model, proxyVariable: findProxyVariable(host) };
  return chooseNetwork(settings.sandbox ?? { allowedHosts: [] }, about);
}

function addLog(found: FoundAgent, { turnLogs, host }: AgentsOptions): FoundAgent {
  if (found.kind === 'refused' || turnLogs === undefined) return found;
  return {
    kind: 'ready',
    agent: withTurnLog(found.agent, turnLogs, { now, redact: createOutputRedact(host) }),
  };
}

function isShown(path: string): boolean {
  return isSystemPath(path) || (existsSync(path) && isSystemPath(realpathSync(path)));
}
