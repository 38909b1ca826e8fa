import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Agent,
  type AgentsOptions,
  chooseTestsSandbox,
  createAgents,
  listNodePaths,
  probeBubblewrap,
  probeCodexSandbox,
  probeCommandSandbox,
  type runRepositoryProgram,
  type TurnContext,
} from '@mergexo/agents';
import type { AgentRequest } from '@mergexo/core/agent';
import { serveMessages } from './fake-messages.js';
import { serveResponses } from './fake-responses.js';
import { findCache, locateAgents } from './install-agents.js';
import type { FakeModel } from './model-step.js';

export type AdapterName = 'codex' | 'claude';

/** A fake MergeXO secret, which must never appear in an agent's environment or files. */
export const CANARY = 'canary-of-our-own-secret';
export const MODEL_KEY = 'key-of-the-model-0123456789';

export type World = {
  name: AdapterName;
  model: FakeModel;
  /** The directory that contains all files of this world. */
  dir: string;
  slot: string;
  home: string;
  userHome: string;
  turnLogs: string;
  agent(options?: AgentSettings): Promise<Agent>;
  turnContext(overrides?: Partial<TurnContext>): TurnContext;
  /** The worker's settings for running the repository's own programs. */
  testsHost(): Promise<Parameters<typeof runRepositoryProgram>[0]>;
  /** The command that starts the program without an adapter, as its vendor documents it. */
  bare(request: AgentRequest): { program: string; args: string[]; env: Record<string, string> };
  /** Lists the live processes of this world. */
  listProcesses(): string[];
  listRuns(): string[];
  close(): Promise<void>;
};

export type AgentSettings = {
  sandbox?: AgentsOptions['sandbox'];
  /** Replaces the detected bubblewrap. */
  bubblewrap?: AgentsOptions['bubblewrap'];
  /** Replaces the model's port. */
  port?: number;
  silenceMs?: number;
  /** Uses the user's login instead of a key from the environment. */
  withLogin?: boolean;
  /** Lets Claude Code run every command without asking, which is the worst case for security. */
  daring?: boolean;
  /** Replaces the probe result for the sandbox of Claude Code's commands. */
  claudeProbe?: AgentsOptions['claudeProbe'];
  /** The network policy; the default if absent. */
  network?: 'model-only' | 'allow-list' | 'all';
  allowedHosts?: readonly string[];
  /** Variables that the operator passes with `pass_env`. */
  passed?: Readonly<Record<string, string>>;
  /** The profile in the user's Codex configuration that selects the model. */
  profile?: string;
};

const CLOSED = 'http://127.0.0.1:9';

/** Creates a slot, an agent's home, a user with secrets, and a model on loopback. The agent program is real. */
export async function createWorld(name: AdapterName): Promise<World> {
  const cache = findCache(process.env);
  const programs = locateAgents(cache);
  mkdirSync(join(cache, 'work'), { recursive: true });
  // Codex refuses to store its helper programs in the temporary directory, so the world is in the cache.
  const dir = mkdtempSync(join(realpathSync(join(cache, 'work')), `${name}-`));
  const at = (path: string): string => join(dir, path);
  for (const path of ['slot', 'home', 'runs', 'user', 'state']) mkdirSync(at(path));
  plantSecrets(dir);
  execFileSync('git', ['init', '-q', at('slot')]);
  const model = name === 'codex' ? await serveResponses() : await serveMessages();
  const bubblewrap = await probeBubblewrap(process.env['PATH'] ?? '');
  return {
    name,
    model,
    dir,
    slot: at('slot'),
    home: at('home'),
    userHome: at('user'),
    turnLogs: at('logs'),
    agent: async (settings = {}) => {
      const options = { bubblewrap, ...buildOptions({ name, dir, programs, port: model.port, ...settings }) };
      const codexProbe = name === 'codex' ? await probeCodexSandbox(options) : undefined;
      const claudeProbe = settings.claudeProbe ?? (await probeCommandSandbox(options));
      const found = createAgents({ ...options, codexProbe, claudeProbe }).find(name);
      if (found.kind === 'refused') throw new Error(found.reason);
      return found.agent;
    },
    turnContext: (overrides = {}) => ({
      cwd: at('slot'),
      home: at('home'),
      signal: new AbortController().signal,
      ...overrides,
    }),
    testsHost: async () => {
      const { host, sandbox } = buildOptions({ name, dir, programs, port: model.port });
      const modes = { sandbox, setupNetwork: 'all', requiredTestsNetwork: 'all' } as const;
      const choice = chooseTestsSandbox({ ...modes, requiredTestsSandbox: 'auto' }, bubblewrap);
      if (choice.kind === 'refused') throw new Error(choice.reason);
      return { ...host, sandbox: choice.sandbox };
    },
    bare: (request) => buildBare({ name, dir, programs, port: model.port }, request),
    listProcesses: () => findByCommand([dir, dirname(realpathSync(programs[name]))]),
    listRuns: () => readdirSync(at('runs')),
    close: async () => {
      await model.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function plantSecrets(dir: string): void {
  for (const path of ['user/.ssh/id_ed25519', 'state/state.db', 'state/secret']) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), CANARY);
  }
}

type Setting = AgentSettings & {
  name: AdapterName;
  dir: string;
  programs: { codex: string; claude: string };
  port: number;
};

function buildOptions(
  setting: Setting,
): Omit<AgentsOptions, 'bubblewrap'> & { bubblewrap?: AgentsOptions['bubblewrap'] } {
  const { dir, programs, port, sandbox = 'auto', silenceMs = 60_000, withLogin, daring } = setting;
  const { passed = {} } = setting;
  const env = { ...buildEnvironment(setting), ...passed };
  const provider = [
    'name="fake"',
    `base_url="http://127.0.0.1:${port}/v1"`,
    'wire_api="responses"',
    withLogin === true ? 'requires_openai_auth=true' : 'env_key="MODEL_KEY"',
    'request_max_retries=1',
    'stream_max_retries=1',
    'supports_websockets=false',
  ].join(',');
  const { profile } = setting;
  if (profile !== undefined) plantProfile(env, profile, provider);
  return {
    host: {
      env,
      passEnv: Object.keys(env).filter(
        (name) => name in passed || /PROXY|ANTHROPIC|MODEL_KEY|MAX_RETRIES/i.test(name),
      ),
      runsDir: join(dir, 'runs'),
      readOnlyPaths: listNodePaths(process.execPath),
      graceMs: 3_000,
    },
    sandbox,
    ...(setting.bubblewrap !== undefined && { bubblewrap: setting.bubblewrap }),
    limits: { wallMs: 100_000, silenceMs },
    settings: {
      sandbox: { network: setting.network, allowedHosts: setting.allowedHosts ?? [] },
      codex: {
        binary: programs.codex,
        profile,
        extraArgs:
          profile === undefined
            ? ['-c', 'model_provider="fake"', '-c', `model_providers.fake={${provider}}`]
            : [],
      },
      claude: {
        binary: programs.claude,
        permissionMode: daring === true ? 'dontAsk' : 'acceptEdits',
        extraArgs: [],
      },
    },
    modelOf: () => (setting.name === 'codex' ? 'gpt-5.5' : 'claude-sonnet-5-5'),
    turnLogs: join(dir, 'logs'),
  };
}

function plantProfile({ HOME = '' }: AgentsOptions['host']['env'], profile: string, provider: string): void {
  mkdirSync(join(HOME, '.codex'), { recursive: true });
  writeFileSync(join(HOME, '.codex/config.toml'), `model_providers.fake = {${provider}}\n`);
  writeFileSync(join(HOME, `.codex/${profile}.config.toml`), 'model_provider = "fake"\n');
}

function buildEnvironment({ name, dir, port, withLogin, network }: Setting): AgentsOptions['host']['env'] {
  // With these variables, MergeXO would not use its own proxy.
  const closed = { HTTP_PROXY: CLOSED, HTTPS_PROXY: CLOSED, ALL_PROXY: CLOSED, NO_PROXY: '127.0.0.1' };
  const proxies = network === 'all' ? closed : {};
  const key = name === 'codex' ? { MODEL_KEY } : { ANTHROPIC_API_KEY: MODEL_KEY };
  const place =
    name === 'codex' ? {} : { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, CLAUDE_CODE_MAX_RETRIES: '1' };
  return {
    PATH: process.env['PATH'],
    HOME: join(dir, 'user'),
    GITHUB_TOKEN: CANARY,
    MERGEXO_SECRET: CANARY,
    SOMETHING_OF_OURS: CANARY,
    ...proxies,
    ...place,
    ...(withLogin !== true && key),
  };
}

function buildBare(setting: Setting, { output_schema }: AgentRequest) {
  const { name, dir, programs } = setting;
  const home = join(dir, 'bare');
  mkdirSync(home, { recursive: true });
  const schema = JSON.stringify(output_schema);
  writeFileSync(join(home, 'schema.json'), schema);
  const { codex } = buildOptions(setting).settings;
  const args =
    name === 'codex'
      ? ['exec', ...(codex?.extraArgs ?? []), ...BARE_CODEX, '-C', join(dir, 'slot'), '--output-schema']
      : ['-p', ...BARE_CLAUDE, '--json-schema'];
  const given = Object.entries(buildEnvironment({ ...setting, network: 'all' })).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const quiet = { DISABLE_TELEMETRY: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  return {
    program: findNative(name, programs[name]),
    args: [...args, ...(name === 'codex' ? [join(home, 'schema.json'), '-'] : [schema])],
    env: { ...Object.fromEntries(given), ...quiet, HOME: home, CODEX_HOME: home, CLAUDE_CONFIG_DIR: home },
  };
}

const BARE_CODEX = [
  ...['--json', '--ignore-user-config', '--skip-git-repo-check', '-s', 'workspace-write', '-m', 'gpt-5.5'],
  ...['-c', 'features.plugins=false', '-c', 'analytics.enabled=false', '-c', 'features.apps=false'],
];
const BARE_CLAUDE = ['--output-format', 'stream-json', '--verbose', '--setting-sources='];

/** Finds the native program, because the npm launcher would distort the measurement. */
function findNative(name: AdapterName, launcher: string): string {
  const { resolve } = createRequire(realpathSync(launcher));
  if (name === 'claude') return realpathSync(launcher);
  const vendor = join(
    dirname(resolve(`@openai/codex-${process.platform}-${process.arch}/package.json`)),
    'vendor',
  );
  return join(vendor, readdirSync(vendor)[0] ?? '', 'bin', 'codex');
}

/** Lists live processes with one of the texts in their command line. */
function findByCommand(texts: readonly string[]): string[] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  return execFileSync('ps', ['-axww', '-o', 'pid=', '-o', 'stat=', '-o', 'command='], options)
    .split('\n')
    .filter((row) => texts.some((text) => row.includes(text)) && !/^\s*\d+\s+Z/.test(row));
}

/** Returns the reason why the real programs cannot run on this machine, or undefined. */
export function findObstacle(): string | undefined {
  const { codex, claude } = locateAgents(findCache(process.env));
  const missing = [codex, claude].filter((path) => !existsSync(path));
  return missing.length === 0 ? undefined : `${missing.join(' and ')} missing; use \`npm run test:agents\``;
}
