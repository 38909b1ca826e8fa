import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { type AdapterName, toAdapterName } from '@mergexo/core/agent';
import { findExecutable, readShebang } from '@mergexo/process';
import { CLAUDE } from './claude/claude-cli.js';
import { adviseInstall, type Cli, findKey, findUserHome } from './cli/cli.js';
import { findProgram } from './cli/find-program.js';
import { CODEX } from './codex/codex-cli.js';
import { type AgentsOptions, hasOwnSandbox } from './create-agents.js';
import { clip } from './output/printable.js';
import type { Environment } from './sandbox/environment.js';
import { explainHidden } from './sandbox/explain-hidden.js';
import { chooseSandbox } from './sandbox/sandbox.js';

export type AgentReport = {
  adapter: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** The next step for the operator. */
  fix?: string;
};

type InspectOptions = Pick<AgentsOptions, 'host' | 'sandbox' | 'bubblewrap' | 'codex' | 'claude' | 'command'>;

/** Reports programs, versions, logins and sandboxes of the configured agents. Sends nothing to a model. */
export async function inspectAgents(
  names: readonly string[],
  options: InspectOptions,
): Promise<AgentReport[]> {
  return Promise.all([...new Set(names)].map((name) => inspect(name, options)));
}

async function inspect(name: string, options: InspectOptions): Promise<AgentReport> {
  const adapter = toAdapterName(name);
  if (adapter === undefined)
    return { adapter: name, status: 'failure', detail: `there is no adapter "${name}"` };
  const found = adapter === 'command' ? inspectCommand(options) : await inspectCli(adapter, options);
  if (found.status === 'failure') return found;
  const choice = chooseSandbox(options.sandbox, options.bubblewrap, hasOwnSandbox(adapter));
  if (choice.kind === 'refused') {
    return { adapter, status: 'failure', detail: `${found.detail}; no sandbox`, fix: choice.reason };
  }
  const hidden = choice.sandbox.kind === 'bwrap' ? findHidden(adapter, options) : undefined;
  if (hidden !== undefined) {
    const fix = `Let the sandbox show it: ${hidden}. Or set \`sandbox = "none"\` in [agent] to run without any.`;
    return { adapter, status: 'failure', detail: `${found.detail}; the sandbox cannot run it`, fix };
  }
  return { ...found, detail: `${found.detail}; ${SANDBOXES[choice.sandbox.kind]}` };
}

function findHidden(adapter: AdapterName, { host, command }: InspectOptions): string | undefined {
  const [name] = command?.argv ?? [];
  // The other adapters show the native program of their package and the files that it needs.
  if (adapter !== 'command' || name === undefined) return undefined;
  return explainHidden(name, { searchPath: host.env['PATH'] ?? '', readOnlyPaths: host.readOnlyPaths });
}

const SANDBOXES = {
  bwrap: 'confined by bubblewrap',
  own: 'confined by its own sandbox',
  none: 'not confined, as configured',
} as const;

function inspectCommand({ host, command }: InspectOptions): AgentReport {
  const [name] = command?.argv ?? [];
  if (name === undefined) {
    const fix = 'Set `argv` in [command] to your agent.';
    return { adapter: 'command', status: 'failure', detail: 'no program is configured', fix };
  }
  const relative = command?.argv.find((word, index) => isRelative(word, index));
  if (relative !== undefined) return { adapter: 'command', status: 'failure', ...explainRelative(relative) };
  const program = findExecutable(name, host.env['PATH'] ?? '');
  if (program === undefined) return { adapter: 'command', status: 'failure', ...explainMissing(name) };
  const missing = command?.argv.slice(1).find((word) => isScript(word) && !existsSync(word));
  if (missing !== undefined) {
    const fix = 'Correct `argv` in [command].';
    return { adapter: 'command', status: 'failure', detail: `the script ${missing} does not exist`, fix };
  }
  const interpreter = findMissingInterpreter(program);
  if (interpreter !== undefined) {
    const fix = `Install ${interpreter}, or correct the first line of ${program}.`;
    return {
      adapter: 'command',
      status: 'failure',
      detail: `${program} needs ${interpreter}, which does not exist`,
      fix,
    };
  }
  return { adapter: 'command', status: 'ok', detail: program };
}

/** The interpreter that a script names in its first line, if there is no such file. */
function findMissingInterpreter(program: string): string | undefined {
  const interpreter = readShebang(program)?.split(/\s+/)[0];
  return interpreter === undefined || existsSync(interpreter) ? undefined : interpreter;
}

function explainMissing(name: string): { detail: string; fix: string } {
  const fix = 'Correct `argv` in [command].';
  if (!isAbsolute(name)) return { detail: `${name} is not a program on the PATH`, fix: `Install it. ${fix}` };
  if (!existsSync(name)) return { detail: `${name} does not exist`, fix };
  if (!statSync(name).isFile()) return { detail: `${name} is not a file`, fix };
  return { detail: `${name} is not executable`, fix: `Run \`chmod +x ${name}\`.` };
}

function explainRelative(path: string): { detail: string; fix: string } {
  return {
    detail: `${path} is a relative path: the agent would take that file from the checkout it runs in`,
    fix: `Write the absolute path of ${path} in \`argv\` of [command].`,
  };
}

/** A program without a slash is looked up on the PATH; a script is not. */
function isRelative(word: string, index: number): boolean {
  if (isAbsolute(word)) return false;
  return index === 0 ? word.includes('/') : isScript(word);
}

/** By its name: other paths among the arguments may be made later. */
function isScript(argument: string): boolean {
  return /^[^-].*\.(c?js|mjs|ts|py|rb|sh|pl|php|lua)$/.test(argument);
}

type CliName = Exclude<AdapterName, 'command'>;

const CLIS: Readonly<Record<CliName, { cli: Cli; binary(options: InspectOptions): string | undefined }>> = {
  codex: { cli: CODEX, binary: ({ codex }) => codex?.binary },
  claude: { cli: CLAUDE, binary: ({ claude }) => claude?.binary },
};

async function inspectCli(adapter: CliName, options: InspectOptions): Promise<AgentReport> {
  const { cli, binary: findBinary } = CLIS[adapter];
  const { env } = options.host;
  const fail = (detail: string): AgentReport => ({
    adapter,
    status: 'failure',
    detail,
    fix: adviseInstall(cli),
  });
  const binary = findBinary(options) ?? cli.name;
  const program = findProgram(binary, env['PATH'] ?? '', cli.layout);
  if (program === undefined) return fail(`${binary} is not installed`);
  const version = await askVersion(program.path, env);
  if (version === undefined) return fail(`${program.path} does not run`);
  const key = findKey(cli, options.host);
  if (key !== undefined) return { adapter, status: 'ok', detail: `${version}, with the key in ${key}` };
  // A login that only the user's own session can open, such as a keychain's, is of no use to a worker.
  if (!existsSync(join(findUserHome(cli, env), cli.loginFile))) {
    return { adapter, status: 'warning', detail: `${version}, not logged in`, fix: cli.loginAdvice };
  }
  return { adapter, status: 'ok', detail: `${version}, logged in` };
}

const LIMIT_MS = 20_000;

/** The first line of `--version`; undefined if it fails. Uses a temporary home, into which some programs write files. */
async function askVersion(program: string, { PATH = '' }: Environment): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'mx-inspect-'));
  const env = { PATH, HOME: home, CODEX_HOME: home, CLAUDE_CONFIG_DIR: home, DISABLE_AUTOUPDATER: '1' };
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], {
      env,
      timeout: LIMIT_MS,
      cwd: '/',
    });
    return clip(stdout.trim().split('\n')[0] ?? '', 100);
  } catch {
    return undefined;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
