import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { ADAPTER_NAMES, type AdapterName, toAdapterName } from '@mergexo/core/agent';
import { NOTICE_TEXTS } from '@mergexo/core/ledger';
import { findExecutable, readShebang } from '@mergexo/process';
import { adviseInstall, type Cli, findKey, findUserHome } from './cli/cli.js';
import { findProgram } from './cli/find-program.js';
import { chooseCodexSandbox } from './codex/codex-sandbox.js';
import { ADAPTERS, type AgentsOptions, chooseAdapterNetwork, chooseClaudeCommands } from './create-agents.js';
import { clip } from './output/printable.js';
import type { Environment } from './sandbox/environment.js';
import { explainHidden } from './sandbox/explain-hidden.js';
import {
  type Bubblewrap,
  chooseSandbox,
  chooseTestsSandbox,
  type Sandbox,
  type SandboxMode,
  type TestsNetwork,
} from './sandbox/sandbox.js';

export type AgentReport = {
  adapter: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** The next step for the operator. */
  fix?: string;
};

type InspectOptions = Pick<
  AgentsOptions,
  'host' | 'sandbox' | 'bubblewrap' | 'settings' | 'codexProbe' | 'claudeProbe'
>;

/** Reports the programs, versions, logins and sandboxes of the configured agents. Sends nothing to a model. */
export async function inspectAgents(
  names: readonly string[],
  options: InspectOptions,
): Promise<AgentReport[]> {
  return Promise.all([...new Set(names)].map((name) => inspect(name, options)));
}

async function inspect(name: string, options: InspectOptions): Promise<AgentReport> {
  const adapter = toAdapterName(name);
  if (adapter === undefined)
    return {
      adapter: name,
      status: 'failure',
      detail: `there is no adapter "${name}"; use one of ${ADAPTER_NAMES.join(', ')}`,
    };
  const { cli, hasOwnSandbox } = ADAPTERS[adapter];
  const found = cli === undefined ? inspectCommand(options) : await inspectCli({ adapter, cli }, options);
  if (found.status === 'failure') return found;
  const choice = chooseSandbox(options.sandbox, options.bubblewrap, hasOwnSandbox);
  if (choice.kind === 'refused') {
    return { adapter, status: 'failure', detail: `${found.detail}; no sandbox`, fix: choice.reason };
  }
  const hidden = choice.sandbox.kind === 'bwrap' ? findHidden(adapter, options) : undefined;
  if (hidden !== undefined) {
    const fix = `The sandbox hides it: ${hidden}. Or set \`sandbox = "none"\` in [agent] to run without a sandbox.`;
    return { adapter, status: 'failure', detail: `${found.detail}; the sandbox cannot run it`, fix };
  }
  const network = chooseAdapterNetwork(adapter, choice.sandbox, options);
  if (network.kind === 'refused') {
    return { adapter, status: 'failure', detail: `${found.detail}; no network policy`, fix: network.reason };
  }
  const detail = [found.detail, SANDBOXES[choice.sandbox.kind], network.description].join('; ');
  const allowsNamespaces = choice.sandbox.kind === 'bwrap' && choice.sandbox.allowsNamespaces === true;
  const confined: AgentReport = allowsNamespaces
    ? { ...found, status: 'warning', detail, fix: UPDATE_BUBBLEWRAP }
    : { ...found, detail };
  if (adapter === 'codex') return inspectOwnSandbox(confined, options, choice.sandbox);
  return adapter === 'claude' ? inspectCommands(confined, options) : confined;
}

/** Reports whether Codex also runs in its own sandbox. Makes the same choice as the worker at startup. */
function inspectOwnSandbox(report: AgentReport, options: InspectOptions, outer: Sandbox): AgentReport {
  const choice = chooseCodexSandbox(options, outer);
  if (choice.kind === 'refused')
    return {
      ...report,
      status: 'failure',
      detail: `${report.detail}; its own sandbox does not work`,
      fix: choice.reason,
    };
  if (choice.sandbox === 'workspace-write') return report;
  const fix = `${NOTICE_TEXTS['codex-without-own-sandbox']}. Allow nested user namespaces to use its sandbox.`;
  return { fix, ...report, status: 'warning', detail: `${report.detail}; without its own sandbox` };
}

/** Reports whether Claude Code can run commands in its default mode. Makes the same choice as the worker at startup. */
function inspectCommands(report: AgentReport, options: InspectOptions): AgentReport {
  const { permissionMode, sandboxesCommands } = chooseClaudeCommands(options);
  if (permissionMode !== 'acceptEdits' || sandboxesCommands) return report;
  const { claudeProbe: probe } = options;
  const reason = probe?.kind === 'unusable' ? probe.reason : 'bubblewrap is not used';
  const fix = `A second sandbox for its commands does not work: ${reason}. Allow nested user namespaces, or set \`permission_mode = "dontAsk"\` in [claude].`;
  return { fix, ...report, status: 'warning', detail: `${report.detail}; cannot run commands` };
}

function findHidden(adapter: AdapterName, { host, settings }: InspectOptions): string | undefined {
  const [name] = settings.command?.argv ?? [];
  // The other adapters expose the native program of their package, and the files that it needs, to the sandbox.
  if (adapter !== 'command' || name === undefined) return undefined;
  return explainHidden(name, { searchPath: host.env['PATH'] ?? '', readOnlyPaths: host.readOnlyPaths });
}

const UPDATE_BUBBLEWRAP =
  'Programs in the sandbox can create user namespaces. Update bubblewrap to 0.8 or later.';

const SANDBOXES = {
  bwrap: 'confined by bubblewrap',
  own: 'confined by its own sandbox',
  none: 'not confined, as configured',
} as const;

type Fault = { detail: string; fix: string };

function inspectCommand({ host, settings }: InspectOptions): AgentReport {
  const found = checkCommand(settings.command?.argv ?? [], host.env['PATH'] ?? '');
  return typeof found === 'string'
    ? { adapter: 'command', status: 'ok', detail: found }
    : { adapter: 'command', status: 'failure', ...found };
}

/** Returns the path of the program, or the reason why the agent cannot run. */
function checkCommand([name, ...args]: readonly string[], searchPath: string): string | Fault {
  if (name === undefined)
    return { detail: 'no program is configured', fix: 'Set `argv` in [command] to your agent.' };
  // The PATH applies only to a program name without a slash, never to a script.
  const paths = [...(name.includes('/') ? [name] : []), ...args.filter(isScript)];
  const relative = paths.find((path) => !isAbsolute(path));
  if (relative !== undefined) return explainRelative(relative);
  const program = findExecutable(name, searchPath);
  if (program === undefined) return explainMissing(name);
  const missing = args.find((word) => isScript(word) && !existsSync(word));
  if (missing !== undefined) return { detail: `the script ${missing} does not exist`, fix: CORRECT };
  const interpreter = readShebang(program)?.split(/\s+/)[0];
  if (interpreter === undefined || existsSync(interpreter)) return program;
  return {
    detail: `${program} needs ${interpreter}, which does not exist`,
    fix: `Install ${interpreter}, or correct the first line of ${program}.`,
  };
}

const CORRECT = 'Correct `argv` in [command].';

function explainMissing(name: string): Fault {
  if (!isAbsolute(name))
    return { detail: `${name} is not a program on the PATH`, fix: `Install it. ${CORRECT}` };
  if (!existsSync(name)) return { detail: `${name} does not exist`, fix: CORRECT };
  if (!statSync(name).isFile()) return { detail: `${name} is not a file`, fix: CORRECT };
  return { detail: `${name} is not executable`, fix: `Run \`chmod +x ${name}\`.` };
}

function explainRelative(path: string): Fault {
  return {
    detail: `${path} is a relative path: the agent would use the file in its checkout`,
    fix: `Write the absolute path of ${path} in \`argv\` of [command].`,
  };
}

/** Matches only names that look like scripts, because other paths among the arguments may be created later. */
function isScript(argument: string): boolean {
  return /^[^-].*\.(c?js|mjs|ts|py|rb|sh|pl|php|lua)$/.test(argument);
}

async function inspectCli(
  { adapter, cli }: { adapter: AdapterName; cli: Cli },
  { host, settings }: InspectOptions,
): Promise<AgentReport> {
  const { env } = host;
  const fix = adviseInstall(cli);
  const fail = (detail: string): AgentReport => ({ adapter, status: 'failure', detail, fix });
  const section = settings[adapter];
  const binary = section !== undefined && 'binary' in section ? section.binary : cli.name;
  const program = findProgram(binary, env['PATH'] ?? '', cli.layout);
  if (program === undefined) return fail(`${binary} is not installed`);
  const version = await askVersion(program.path, env);
  if (version === undefined) return fail(`${program.path} does not run`);
  const key = findKey(cli, host);
  if (key !== undefined) return { adapter, status: 'ok', detail: `${version}, with the key in ${key}` };
  // Ignores a login that a worker cannot read, such as a keychain entry of the user's own session.
  if (!existsSync(join(findUserHome(cli, env), cli.loginFile))) {
    return { adapter, status: 'warning', detail: `${version}, not logged in`, fix: cli.loginAdvice };
  }
  return { adapter, status: 'ok', detail: `${version}, logged in` };
}

const LIMIT_MS = 20_000;

/** The first line of `--version`, or undefined on failure. Uses a temporary home, because some programs write files. */
async function askVersion(program: string, { PATH = '' }: Environment): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'mx-inspect-'));
  const env = { PATH, HOME: home, CODEX_HOME: home, CLAUDE_CONFIG_DIR: home, DISABLE_AUTOUPDATER: '1' };
  try {
    const options = { env, timeout: LIMIT_MS, cwd: '/' };
    const { stdout } = await promisify(execFile)(program, ['--version'], options);
    return clip(stdout.trim().split('\n')[0] ?? '', 100);
  } catch {
    return undefined;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type InspectTestsOptions = {
  sandbox: SandboxMode;
  requiredTestsSandbox: 'auto' | 'none';
  setupNetwork: TestsNetwork;
  requiredTestsNetwork: TestsNetwork;
  bubblewrap: Bubblewrap;
};

/** Reports whether the required tests of these repositories can run on this machine. */
export function inspectTests(repos: readonly string[], options: InspectTestsOptions): AgentReport[] {
  if (repos.length === 0) return [];
  const choice = chooseTestsSandbox(options, options.bubblewrap);
  const names = repos.join(', ');
  if (choice.kind === 'refused') {
    const detail = `required_tests of ${names} cannot run: ${choice.reason}`;
    return [{ adapter: 'tests', status: 'failure', detail, fix: choice.fix }];
  }
  const network = `network: ${options.requiredTestsNetwork}`;
  const detail = `required_tests of ${names}; ${SANDBOXES[choice.sandbox.kind]}; ${network}`;
  return [{ adapter: 'tests', status: 'ok', detail }];
}
