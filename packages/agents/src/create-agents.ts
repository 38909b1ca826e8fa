import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core';
import type { PermissionMode } from './claude/build-claude-args.js';
import { createClaudeAgent } from './claude/claude.js';
import { createCodexAgent } from './codex/codex.js';
import { createCommandAgent } from './command/command.js';
import type { Host } from './run/run-confined.js';
import type { Limits } from './run/watch-limits.js';
import { isOfSystem } from './sandbox/bubblewrap.js';
import type { Environment } from './sandbox/environment.js';
import { type Bubblewrap, chooseSandbox, type SandboxMode } from './sandbox/sandbox.js';
import type { Agent } from './turn/agent.js';
import { withTurnLog } from './turn/turn-log.js';

export type AgentsOptions = {
  host: Omit<Host, 'sandbox'>;
  sandbox: SandboxMode;
  bubblewrap: Bubblewrap;
  limits: Limits;
  /** `command.argv` of the configuration. */
  command?: { argv: readonly string[] };
  codex?: { binary: string; profile?: string | undefined; extraArgs: readonly string[] };
  claude?: { binary: string; permissionMode: PermissionMode; extraArgs: readonly string[] };
  /** The model for a turn; undefined leaves the choice to the agent. */
  modelOf?: (request: AgentRequest) => string | undefined;
  /** Where each turn's events are written while it runs. */
  turnLogs?: string;
};

export type FoundAgent = { kind: 'ready'; agent: Agent } | { kind: 'refused'; reason: string };

export type Agents = { find(adapter: string): FoundAgent };

/** What the registry knows about an adapter before it is made. */
type Adapter = {
  hasOwnSandbox: boolean;
  create(options: AgentsOptions, host: Host): FoundAgent;
};

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  codex: {
    hasOwnSandbox: true,
    create: ({ codex, limits, modelOf }, host) => {
      const { binary = 'codex', profile, extraArgs = [] } = codex ?? {};
      const userHome = findCodexHome(host.env);
      const agent = createCodexAgent({
        host,
        limits,
        binary,
        profile,
        extraArgs,
        userHome,
        now,
        modelOf: modelOf ?? noModel,
      });
      return { kind: 'ready', agent };
    },
  },
  claude: {
    hasOwnSandbox: false,
    create: ({ claude, limits, modelOf }, host) => {
      const { binary = 'claude', permissionMode = 'acceptEdits', extraArgs = [] } = claude ?? {};
      const userHome = findClaudeHome(host.env);
      const agent = createClaudeAgent({
        host,
        limits,
        binary,
        permissionMode,
        extraArgs,
        userHome,
        now,
        modelOf: modelOf ?? noModel,
      });
      return { kind: 'ready', agent };
    },
  },
  command: {
    hasOwnSandbox: false,
    create: ({ command, limits }, host) => {
      const [program, ...args] = command?.argv ?? [];
      if (program === undefined) return { kind: 'refused', reason: 'set `argv` in [command] to your agent' };
      return { kind: 'ready', agent: createCommandAgent({ host, argv: [program, ...args], limits }) };
    },
  },
};

const now = () => new Date();
const noModel = () => undefined;

/** As the programs themselves find it for the user of the worker. */
export function findCodexHome(env: Environment): string {
  return env['CODEX_HOME'] || join(env['HOME'] || homedir(), '.codex');
}

export function findClaudeHome(env: Environment): string {
  return env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude');
}

/** The adapters by name. A missing sandbox is said when an adapter is chosen, not when it first runs. */
export function createAgents(options: AgentsOptions): Agents {
  const made = new Map<string, FoundAgent>();
  return {
    find: (name) => {
      const known = made.get(name);
      if (known !== undefined) return known;
      const adapter = Object.hasOwn(ADAPTERS, name) ? ADAPTERS[name] : undefined;
      if (adapter === undefined) return { kind: 'refused', reason: `this worker has no adapter "${name}"` };
      const choice = chooseSandbox(options.sandbox, options.bubblewrap, adapter.hasOwnSandbox);
      if (choice.kind === 'refused') return choice;
      if (choice.sandbox.kind === 'bwrap' && isShown(options.host.runsDir)) {
        const reason = `${options.host.runsDir} lies in a directory of the system, which every agent can read; move \`base_dir\``;
        return { kind: 'refused', reason };
      }
      const found = addLog(adapter.create(options, { ...options.host, sandbox: choice.sandbox }), options);
      made.set(name, found);
      return found;
    },
  };
}

function addLog(found: FoundAgent, { turnLogs }: AgentsOptions): FoundAgent {
  if (found.kind === 'refused' || turnLogs === undefined) return found;
  return { kind: 'ready', agent: withTurnLog(found.agent, turnLogs, now) };
}

function isShown(path: string): boolean {
  return isOfSystem(path) || (existsSync(path) && isOfSystem(realpathSync(path)));
}
