import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core/agent';
import { createRedact, type Redact, redactStrings } from '@mergexo/core/text';
import { attempt } from '@mergexo/process';
import { describeNonJson, parseJson, readJsonLines } from '../output/json.js';
import type { Host } from '../run/run-confined.js';
import type { ProcessEnd } from '../run/run-process.js';
import type { Limits } from '../run/watch-limits.js';
import { createOutputRedact } from '../sandbox/environment.js';
import {
  type Agent,
  type AgentFailed,
  type AgentRun,
  type AgentUsage,
  type CommandAccess,
  NO_USAGE,
  type TurnContext,
} from '../turn/agent.js';
import { clearHome } from '../turn/clear-home.js';
import { describeEnd } from '../turn/describe-end.js';
import { runAgentProcess } from '../turn/run-agent-process.js';
import { createProgress, createUsageReports, type ShowProgress } from '../turn/show-progress.js';
import { adviseInstall, type Cli, findKey } from './cli.js';
import type { Explained } from './explain.js';
import { findProgram, type Program } from './find-program.js';
import { lendLogin } from './lend-login.js';
import { ensureDirectory } from './private-files.js';

export type CliOptions = {
  host: Host;
  commands: CommandAccess;
  limits: Limits;
  binary: string;
  extraArgs: readonly string[];
  modelOf: (request: AgentRequest) => string | undefined;
  /** The directory with the user's own login and configuration. */
  userHome: string;
  now: () => Date;
  /** Called with the tokens of the login that a turn uses, and again with the tokens of a refreshed login. */
  onLogin?: ((secrets: readonly string[]) => void) | undefined;
};

export type CliTurn = {
  request: AgentRequest;
  context: TurnContext;
  program: Program;
  /** The program's state directory in the agent's home. */
  cliHome: string;
  /** A directory next to the agent's home, where the agent cannot write. */
  ownDirectory: string;
  threadId: string | null;
  /** The name of the variable with an API key, if a key replaces the login. */
  key: string | undefined;
};

/** One run of the program, and the functions that interpret its output. */
type CliRun = {
  /** Replaces the request's prompt, if this program needs it in another form. */
  prompt?: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** True if the program's own sandbox keeps the agent's commands away from the login. */
  guardsLogin: boolean;
  /** True if the program creates its own sandbox inside MergeXO's. */
  nests: boolean;
  /** Additional paths that the program needs. */
  readOnlyPaths?: readonly string[];
  onLine(line: object, show: ShowProgress): void;
  /** Returns what the run has used so far, as far as the program reports it. Called after each line. */
  countUsageSoFar(): AgentUsage;
  /** Called once, after the program has ended. */
  countUsage(): AgentUsage;
  /** Undefined if the program did not answer. */
  readAnswer(exitCode: number): { threadId: string; output: unknown } | undefined;
  /** Undefined if the program did not give a reason. */
  explain(about: { log: string; redact: Redact; nowMs: number }): Explained | undefined;
};

/** Runs a provider's program with a copy of the user's login. Sends the prompt on stdin and reads JSON lines. */
export function createCliAgent(
  cli: Cli,
  options: CliOptions,
  prepare: (turn: CliTurn) => Promise<CliRun>,
): Agent {
  const { host, binary, commands } = options;
  return {
    name: cli.name,
    commands,
    runTurn: async (request, context) => {
      const threadId = request.session?.thread_id ?? null;
      // The program could treat an id that is not a UUID as a session name and silently start a new conversation.
      if (threadId !== null && !THREAD_ID.test(threadId))
        return fail('session-lost', 'the stored session id is not valid; MergeXO starts a new session');
      const program = findProgram(binary, host.env['PATH'] ?? '', cli.layout);
      if (program === undefined)
        return fail('not-installed', `${binary} is not on the PATH. ${adviseInstall(cli)}`);
      const cliHome = join(context.home, cli.name);
      ensureDirectory(cliHome);
      const key = findKey(cli, host);
      const ownDirectory = `${context.home}.own`;
      const turn = { request, context, program, cliHome, ownDirectory, threadId, key };
      return runCli(cli, options, { ...turn, ...(await prepare(turn)) });
    },
  };
}

const THREAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const fail = (failure: AgentFailed['failure'], message: string): AgentFailed => ({
  kind: 'failed',
  failure,
  message,
  usage: NO_USAGE,
});

async function runCli(cli: Cli, options: CliOptions, run: CliTurn & CliRun): Promise<AgentRun> {
  const { host, limits, userHome, onLogin = () => {} } = options;
  const { context, program, cliHome } = run;
  const [from, to] = [join(userHome, cli.loginFile), join(cliHome, cli.loginFile)];
  const { isRefreshed } = cli;
  const lent = run.key === undefined ? lendLogin({ from, to, isRefreshed, now: options.now }) : undefined;
  const tokens = lent?.tokens ?? [];
  onLogin(tokens);
  const redactKnown = createOutputRedact(host);
  redactKnown.learnTokens(tokens);
  // Tokens that the agent may have written itself are redacted in this turn only.
  const redactOwn = createRedact(tokens);
  const redact: Redact = (text) => redactOwn(redactKnown(text));
  const show = createProgress(context, redact);
  const usages = createUsageReports(context);
  let ended: ProcessEnd | undefined;
  try {
    const { end, log } = await runAgentProcess(host, context, {
      argv: [program.path, ...run.args],
      stdin: run.prompt ?? run.request.prompt,
      stdout: readJsonLines((line) => {
        run.onLine(line, show);
        usages.soFar(run.countUsageSoFar());
      }),
      limits,
      redact,
      env: run.env,
      nests: run.nests,
      readOnlyPaths: [...program.readOnlyPaths, ...(run.readOnlyPaths ?? [])],
    });
    ended = end;
    redactOwn.learn(lent?.listReturned() ?? []);
    const usage = run.countUsage();
    usages.atEnd(usage);
    const failed = (explained: Explained): AgentRun => ({ kind: 'failed', usage, ...explained });
    if (end.kind !== 'exited' || end.survivors.length > 0) return failed(describeEnd(end, log));
    const answer = run.readAnswer(end.code);
    if (answer !== undefined) {
      if (isTooLong(answer.output)) return failed(TOO_LONG);
      const output = redactOutput(parseOutput(answer.output, { context, redact }), redact);
      return { kind: 'answered', threadId: answer.threadId, output, usage };
    }
    const nowMs = options.now().getTime();
    return failed(run.explain({ log, redact, nowMs }) ?? describeEnd(end, log));
  } finally {
    onLogin(lent?.takeBack({ isTrusted: run.guardsLogin }) ?? []);
    await clearHome(context.home, ended);
  }
}

/** Logs text that is not JSON and returns it unchanged. The worker then asks for a correction in the same thread. */
function parseOutput(
  output: unknown,
  { context, redact }: { context: TurnContext; redact: Redact },
): unknown {
  if (typeof output !== 'string' || output.trim() === '') return output;
  const parsed = parseJson(output);
  if (parsed !== undefined) return parsed;
  context.onEvent?.({ kind: 'log', text: describeNonJson(output, redact) });
  return output;
}

/** Far more than any schema needs. Redacting longer texts would stall the worker. */
const MAX_ANSWER_CHARACTERS = 1_000_000;
const TOO_LONG: Explained = {
  failure: 'invalid-output',
  message: `the agent's answer has more than ${MAX_ANSWER_CHARACTERS} characters`,
};

/** False for an answer that is nested too deeply to measure. Redaction drops such an answer. */
function isTooLong(output: unknown): boolean {
  const text = typeof output === 'string' ? output : attempt(() => JSON.stringify(output));
  return (text?.length ?? 0) > MAX_ANSWER_CHARACTERS;
}

/** Removes all secrets that MergeXO lent to the agent, because the output is published. */
function redactOutput(output: unknown, redact: Redact): unknown {
  if (output === undefined) return undefined;
  try {
    return redactStrings(output, redact);
  } catch {
    // The output is nested too deeply to serialize.
    return undefined;
  }
}
