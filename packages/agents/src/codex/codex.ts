import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core';
import { CODEX_LAYOUT, findProgram, type Program } from '../cli/find-program.js';
import type { Loan } from '../cli/lend-login.js';
import { ensureDirectory, readPrivateFile, writePrivateFile } from '../cli/private-files.js';
import {
  type CliRun,
  fail,
  findKey,
  ownDirectory,
  redactOutput,
  refuseThread,
  runCli,
} from '../cli/run-cli.js';
import { countTurn } from '../cli/thread-totals.js';
import { type Host, runConfined } from '../run/run-confined.js';
import type { Limits } from '../run/watch-limits.js';
import { type Agent, type AgentFailed, type AgentRun, NO_USAGE, type TurnPlace } from '../turn/agent.js';
import { describeEnd } from '../turn/describe-end.js';
import { buildCodexArgs, type CodexSandbox } from './build-codex-args.js';
import { type CodexTold, readCodexEvents } from './codex-events.js';
import { explainCodex } from './explain-codex.js';
import { simplifySchema } from './simplify-schema.js';

export type CodexOptions = {
  host: Host;
  limits: Limits;
  binary: string;
  profile: string | undefined;
  extraArgs: readonly string[];
  modelOf: (request: AgentRequest) => string | undefined;
  /** Where the user's own Codex keeps its login and configuration. */
  userHome: string;
  now: () => Date;
};

/** `codex exec`, with the login of the user and nothing else of theirs. */
export function createCodexAgent(options: CodexOptions): Agent {
  const { host, limits } = options;
  const chooseSandbox = createSandboxChoice(options);
  return {
    name: 'codex',
    runTurn: async (request, place) => {
      const threadId = request.session?.thread_id ?? null;
      const refused = threadId === null ? undefined : refuseThread(threadId);
      if (refused !== undefined) return fail(refused);
      const program = findProgram(options.binary, host.env['PATH'] ?? '', CODEX_LAYOUT);
      if (program === undefined) return fail(missing(options.binary));

      const codexHome = join(place.home, 'codex');
      const own = ownDirectory(place.home);
      prepare(options, { codexHome, own, request });
      const sandbox = await chooseSandbox(program, place, codexHome);
      const key = findKey(host, ['CODEX_API_KEY', 'OPENAI_API_KEY']);
      const events = readCodexEvents();
      const run = await runCli({
        host,
        place,
        limits,
        program,
        args: buildCodexArgs({
          cwd: place.cwd,
          sandbox,
          ownsTmp: host.sandbox.kind === 'bwrap',
          schemaPath: schemaPath(own),
          model: options.modelOf(request),
          profile: options.profile,
          extraArgs: options.extraArgs,
          threadId,
        }),
        // Codex itself does not look at OPENAI_API_KEY.
        env: { CODEX_HOME: codexHome, ...(key !== undefined && { CODEX_API_KEY: host.env[key] ?? '' }) },
        prompt: request.prompt,
        login: key === undefined ? buildLoan(options.userHome, codexHome) : undefined,
        guardsLogin: sandbox === 'workspace-write',
        nests: true,
        take: events.take,
      });
      return conclude(run, events.told(), { own, nowMs: options.now().getTime() });
    },
  };
}

function missing(binary: string): Pick<AgentFailed, 'failure' | 'message'> {
  const message = `${binary} is not on the PATH; install it with \`npm install -g @openai/codex\`, or set \`binary\` in [codex]`;
  return { failure: 'not-installed', message };
}

const schemaPath = (own: string): string => join(own, 'output-schema.json');

function prepare(
  { userHome, profile }: CodexOptions,
  { codexHome, own, request }: { codexHome: string; own: string; request: AgentRequest },
): void {
  ensureDirectory(codexHome);
  ensureDirectory(own);
  writePrivateFile(schemaPath(own), JSON.stringify(simplifySchema(request.output_schema)));
  if (profile === undefined) return;
  for (const name of ['config.toml', `${profile}.config.toml`]) {
    const text = readPrivateFile(join(userHome, name));
    if (text !== undefined) writePrivateFile(join(codexHome, name), text);
  }
}

function buildLoan(userHome: string, codexHome: string): Loan {
  const accountOf = (login: unknown): unknown => Object(Object(login)['tokens'])['account_id'];
  const refreshedAt = (login: unknown): number => Date.parse(String(Object(login)['last_refresh']));
  return {
    from: join(userHome, 'auth.json'),
    to: join(codexHome, 'auth.json'),
    isRenewed: (lent, returned) =>
      typeof accountOf(lent) === 'string' &&
      accountOf(lent) === accountOf(returned) &&
      Object(lent)['OPENAI_API_KEY'] === Object(returned)['OPENAI_API_KEY'] &&
      refreshedAt(returned) > refreshedAt(lent),
  };
}

type SandboxChoice = (program: Program, place: TurnPlace, codexHome: string) => Promise<CodexSandbox>;

/**
 * Codex' own sandbox, also inside ours: it keeps commands from the network and from the login. Where the kernel does not
 * let it stand inside another, ours must do; where there is none but its own, it is never given up.
 */
function createSandboxChoice({ host }: CodexOptions): SandboxChoice {
  let works = host.sandbox.kind === 'own';
  return async (program, { cwd, home, signal }, codexHome) => {
    works ||= await tryOwnSandbox(host, program, { cwd, home, signal, codexHome });
    return works ? 'workspace-write' : 'danger-full-access';
  };
}

const PROBE_MS = 20_000;

async function tryOwnSandbox(
  host: Host,
  program: Program,
  { cwd, home, signal, codexHome }: Pick<TurnPlace, 'cwd' | 'home' | 'signal'> & { codexHome: string },
): Promise<boolean> {
  const end = await runConfined(host, {
    argv: [program.path, 'sandbox', '--config', 'sandbox_mode="workspace-write"', '--', 'true'],
    cwd,
    home,
    stdin: '',
    stdout: () => true,
    stderr: () => true,
    limits: { wallMs: PROBE_MS },
    signal,
    network: false,
    nests: true,
    env: { CODEX_HOME: codexHome },
    readOnlyPaths: program.readOnlyPaths,
  });
  return end.kind === 'exited' && end.code === 0;
}

function conclude(
  { end, log, redact, readAnswer }: CliRun,
  told: CodexTold,
  { own, nowMs }: { own: string; nowMs: number },
): AgentRun {
  const { threadId, total, failure } = told;
  const usage = threadId === undefined || total === undefined ? NO_USAGE : countTurn(own, threadId, total);
  if (end.kind !== 'exited' || end.survivors.length > 0) {
    return { kind: 'failed', usage, ...describeEnd(end, log) };
  }
  if (end.code === 0 && threadId !== undefined && total !== undefined) {
    return { kind: 'answered', threadId, output: redactOutput(readAnswer(told.message), redact), usage };
  }
  const words = redact(failure ?? log);
  const explained = explainCodex(words, nowMs);
  if (failure === undefined && explained.failure === 'crashed') {
    return { kind: 'failed', usage, ...describeEnd(end, log) };
  }
  return { kind: 'failed', usage, ...explained };
}
