import { createRedact, type Redact } from '@mergexo/core';
import { collectTail, tee } from '../output/bounded-output.js';
import { describeNonJson } from '../output/describe-non-json.js';
import { quoteEnd } from '../output/printable.js';
import { readJsonLines } from '../output/read-json-lines.js';
import { type Host, runConfined } from '../run/run-confined.js';
import type { ProcessEnd } from '../run/run-process.js';
import type { Limits } from '../run/watch-limits.js';
import { type AgentFailed, NO_USAGE, type TurnPlace } from '../turn/agent.js';
import { createProgress, type ShowProgress } from '../turn/show-progress.js';
import type { Program } from './find-program.js';
import { type Loan, lendLogin } from './lend-login.js';

const MAX_LOG_CHARACTERS = 2_000;

export type CliJob = {
  host: Host;
  place: TurnPlace;
  limits: Limits;
  program: Program;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  prompt: string;
  /** Undefined where a key from the environment takes the place of a login. */
  login: Loan | undefined;
  /** Whether the agent's own commands are kept from the login by a sandbox of the agent's. */
  guardsLogin: boolean;
  nests: boolean;
  readOnlyPaths?: readonly string[];
  take(line: object, show: ShowProgress): void;
};

export type CliRun = {
  end: ProcessEnd;
  /** The end of what it complained about, fit to be shown. */
  log: string;
  /** For everything that the agent said. */
  redact: Redact;
  /** Text that is not JSON is logged and returned unchanged: the caller rejects it in the same thread. */
  readAnswer(text: string | null | undefined): unknown;
};

/** One turn of a model's own program: the prompt goes in, JSON lines come out, the login is there only meanwhile. */
export async function runCli(job: CliJob): Promise<CliRun> {
  const { host, place, program } = job;
  const lent = job.login === undefined ? undefined : lendLogin(job.login);
  const redact = createRedact([...listKeys(host), ...(lent?.secrets ?? [])]);
  // Twice as much as is told, so that the cut does not go through something that must be redacted.
  const log = collectTail(2 * MAX_LOG_CHARACTERS);
  const show = createProgress(place.onEvent, redact);
  const showLog = (chunk: Buffer): void =>
    place.onEvent?.({ kind: 'log', text: quoteEnd(chunk.toString('utf8'), MAX_LOG_CHARACTERS, redact) });
  try {
    const end = await runConfined(host, {
      argv: [program.path, ...job.args],
      cwd: place.cwd,
      home: place.home,
      stdin: job.prompt,
      stdout: readJsonLines((line) => job.take(line, show)),
      stderr: tee(log.sink, showLog),
      limits: job.limits,
      signal: place.signal,
      network: true,
      nests: job.nests,
      env: job.env,
      readOnlyPaths: [...program.readOnlyPaths, ...(place.readOnlyPaths ?? []), ...(job.readOnlyPaths ?? [])],
      onStart: (pid) => place.onEvent?.({ kind: 'started', pid }),
    });
    return {
      end,
      log: quoteEnd(log.text(), MAX_LOG_CHARACTERS, redact),
      redact,
      readAnswer: (text) => readAnswer(text ?? undefined, { place, redact }),
    };
  } finally {
    lent?.takeBack({ isTrusted: job.guardsLogin });
  }
}

function readAnswer(
  text: string | undefined,
  { place, redact }: { place: TurnPlace; redact: Redact },
): unknown {
  if (text === undefined || text.trim() === '') return text;
  try {
    return JSON.parse(text);
  } catch {
    place.onEvent?.({ kind: 'log', text: describeNonJson(text, redact) });
    return text;
  }
}

function listKeys({ env, passEnv }: Host): string[] {
  return passEnv.flatMap((name) => env[name] ?? []);
}

/** A variable that the operator passes on and that is set. */
export function findKey({ env, passEnv }: Pick<Host, 'env' | 'passEnv'>, names: readonly string[]) {
  return names.filter((name) => passEnv.includes(name)).find((name) => (env[name] ?? '') !== '');
}

/** What an adapter sets unless the operator passes on something else. */
export function withoutPassed(
  { passEnv }: Pick<Host, 'passEnv'>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !passEnv.includes(name)));
}

/** Whatever it says must not carry what it was lent: it is published. */
export function redactOutput(output: unknown, redact: Redact): unknown {
  if (output === undefined) return undefined;
  try {
    return JSON.parse(redact(JSON.stringify(output)));
  } catch {
    // Nested too deeply to be written, or cut by a pattern: it is of no use either.
    return undefined;
  }
}

export const THREAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id that is none may be taken for a name, and silently begin a new conversation. */
export function refuseThread(threadId: string): Pick<AgentFailed, 'failure' | 'message'> | undefined {
  if (THREAD_ID.test(threadId)) return undefined;
  return { failure: 'session-lost', message: 'the stored session is not the id of one' };
}

export function fail(failed: Pick<AgentFailed, 'failure' | 'message'>): AgentFailed {
  return { kind: 'failed', usage: NO_USAGE, ...failed };
}

/** Beside the home and not in it: the agent must not be able to change what we rely on. */
export function ownDirectory(home: string): string {
  return `${home}.own`;
}
