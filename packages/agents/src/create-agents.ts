import { existsSync, realpathSync } from 'node:fs';
import type { Agent } from './agent.js';
import { isOfSystem } from './bubblewrap.js';
import { createCommandAgent } from './command.js';
import type { Host } from './run-confined.js';
import { type Bubblewrap, chooseSandbox, type SandboxMode } from './sandbox.js';
import type { Limits } from './watch-limits.js';

export type AgentsOptions = {
  host: Omit<Host, 'sandbox'>;
  sandbox: SandboxMode;
  bubblewrap: Bubblewrap;
  limits: Limits;
  /** `command.argv` of the configuration. */
  command?: { argv: readonly string[] };
};

export type FoundAgent = { kind: 'ready'; agent: Agent } | { kind: 'refused'; reason: string };

export type Agents = { find(adapter: string): FoundAgent };

/** What the registry knows about an adapter before it is made. */
type Adapter = {
  hasOwnSandbox: boolean;
  create(options: AgentsOptions, host: Host): FoundAgent;
};

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  command: {
    hasOwnSandbox: false,
    create: ({ command, limits }, host) => {
      const [program, ...args] = command?.argv ?? [];
      if (program === undefined) return { kind: 'refused', reason: 'set `argv` in [command] to your agent' };
      return { kind: 'ready', agent: createCommandAgent({ host, argv: [program, ...args], limits }) };
    },
  },
};

/** The adapters by name. A missing sandbox is said when an adapter is chosen, not when it first runs. */
export function createAgents(options: AgentsOptions): Agents {
  return {
    find: (name) => {
      const adapter = Object.hasOwn(ADAPTERS, name) ? ADAPTERS[name] : undefined;
      if (adapter === undefined) return { kind: 'refused', reason: `this worker has no adapter "${name}"` };
      const choice = chooseSandbox(options.sandbox, options.bubblewrap, adapter.hasOwnSandbox);
      if (choice.kind === 'refused') return choice;
      if (choice.sandbox.kind === 'bwrap' && isShown(options.host.runsDir)) {
        const reason = `${options.host.runsDir} lies in a directory of the system, which every agent can read; move \`base_dir\``;
        return { kind: 'refused', reason };
      }
      return adapter.create(options, { ...options.host, sandbox: choice.sandbox });
    },
  };
}

function isShown(path: string): boolean {
  return isOfSystem(path) || (existsSync(path) && isOfSystem(realpathSync(path)));
}
