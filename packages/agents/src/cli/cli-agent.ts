import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core/agent';
import type { Redact } from '@mergexo/core/text';
import { describeNonJson } from '../output/describe-non-json.js';
import { parseJson } from '../output/parse-json.js';
import { readJsonLines } from '../output/read-json-lines.js';
import type { Host } from '../run/run-confined.js';
import type { Limits } from '../run/watch-limits.js';
import { createOutputRedact } from '../sandbox/environment.js';
import {
  type Agent,
  type AgentFailed,
  type AgentRun,
  type AgentUsage,
  NO_USAGE,
  type TurnPlace,
} from '../turn/agent.js';
import { describeEnd } from '../turn/describe-end.js';
import { runAgentProcess } from '../turn/run-agent-process.js';
import { createProgress, type ShowProgress } from '../turn/show-progress.js';
import { adviseInstall, type Cli, findKey } from './cli.js';
import type { Explained } from './explain.js';
import { findProgram, type Program } from './find-program.js';
import { lendLogin } from './lend-login.js';
import { ensureDirectory } from './private-files.js';

export type CliOptions = {
  host: Host;
  limits: Limits;
  binary: string;
  extraArgs: readonly string[];
  modelOf: (request: AgentRequest) => string | undefined;
  /** The directory with the user's own login and configuration. */
  userHome: string;
  now: () => Date;
};

export type CliTurn = {
  request: AgentRequest;
  place: TurnPlace;
  program: Program;
  /** The program's state directory in the agent's home. */
  cliHome: string;
  /** Next to the agent's home, where the agent cannot write. */
  ownDirectory: string;
  threadId: string | null;
  /** The variable with a key, if one replaces the login. */
  key: string | undefined;
};

/** One run of the program, and what its output means. */
type CliRun = {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** A sandbox of the program's own keeps the agent's commands from the login. */
  guardsLogin: boolean;
  /** The program makes a sandbox inside ours. */
  nests: boolean;
  take(line: object, show: ShowProgress): void;
  /** Called once, after the end. */
  countUsage(): AgentUsage;
  /** Undefined if the program did not answer. */
  readAnswer(exitCode: number): { threadId: string; output: unknown } | undefined;
  /** Undefined if the program did not give a reason. */
  explain(about: { log: string; redact: Redact; nowMs: number }): Explained | undefined;
};

/** An agent that is a provider's program: prompt on standard input, JSON lines on standard output, the user's login on loan. */
export function createCliAgent(
  cli: Cli,
  options: CliOptions,
  prepare: (turn: CliTurn) => Promise<CliRun>,
): Agent {
  const { host, binary } = options;
  return {
    name: cli.name,
    runTurn: async (request, place) => {
      const threadId = request.session?.thread_id ?? null;
      // The program may take any other text for a name, and silently start a new conversation.
      if (threadId !== null && !THREAD_ID.test(threadId))
        return fail('session-lost', 'the stored session is not the id of one');
      const program = findProgram(binary, host.env['PATH'] ?? '', cli.layout);
      if (program === undefined)
        return fail('not-installed', `${binary} is not on the PATH. ${adviseInstall(cli)}`);
      const cliHome = join(place.home, cli.name);
      ensureDirectory(cliHome);
      const key = findKey(cli, host);
      const ownDirectory = `${place.home}.own`;
      const turn = { request, place, program, cliHome, ownDirectory, threadId, key };
      return runCli(cli, options, turn, await prepare(turn));
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

async function runCli(cli: Cli, options: CliOptions, turn: CliTurn, run: CliRun): Promise<AgentRun> {
  const { host, limits, userHome } = options;
  const { place, program, cliHome } = turn;
  const [from, to] = [join(userHome, cli.loginFile), join(cliHome, cli.loginFile)];
  const lent = turn.key === undefined ? lendLogin({ from, to, isRenewed: cli.isRenewed }) : undefined;
  const redact = createOutputRedact(host, lent?.secrets);
  const show = createProgress(place.onEvent, redact);
  try {
    const { end, log } = await runAgentProcess(host, place, redact, {
      argv: [program.path, ...run.args],
      stdin: turn.request.prompt,
      stdout: readJsonLines((line) => run.take(line, show)),
      limits,
      env: run.env,
      nests: run.nests,
      readOnlyPaths: program.readOnlyPaths,
    });
    const usage = run.countUsage();
    const failed = (why: Explained): AgentRun => ({ kind: 'failed', usage, ...why });
    if (end.kind !== 'exited' || end.survivors.length > 0) return failed(describeEnd(end, log));
    const answer = run.readAnswer(end.code);
    if (answer !== undefined) {
      const output = redactOutput(parseOutput(answer.output, { place, redact }), redact);
      return { kind: 'answered', threadId: answer.threadId, output, usage };
    }
    const nowMs = options.now().getTime();
    return failed(run.explain({ log, redact, nowMs }) ?? describeEnd(end, log));
  } finally {
    lent?.takeBack({ isTrusted: run.guardsLogin });
  }
}

/** Text that is not JSON is logged and returned unchanged: the check of the output reports it to the agent in the same thread. */
function parseOutput(output: unknown, { place, redact }: { place: TurnPlace; redact: Redact }): unknown {
  if (typeof output !== 'string' || output.trim() === '') return output;
  const parsed = parseJson(output);
  if (parsed !== undefined) return parsed;
  place.onEvent?.({ kind: 'log', text: describeNonJson(output, redact) });
  return output;
}

/** The output is published, so nothing that was lent to the agent may be in it. */
function redactOutput(output: unknown, redact: Redact): unknown {
  if (output === undefined) return undefined;
  try {
    return JSON.parse(redact(JSON.stringify(output)));
  } catch {
    // Nested too deeply to be written, or cut by a pattern: such output cannot be used.
    return undefined;
  }
}
