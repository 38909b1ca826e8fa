import { simpleGit } from 'simple-git';
import { ALLOWED_BY_NAME, type Author, buildEnv, encodeToken } from './build-env.js';
import type { Remote } from './parse-remote.js';
import { quietSimpleGit } from './quiet-simple-git.js';
import { createFailure, stoppedFailure, timedOutFailure, toFailure } from './to-failure.js';

/** The repository that a command works in. */
export type Place = { gitDir: string; signal?: AbortSignal | undefined };

export type GitCommand = {
  /** What is done, on what: the beginning of every message about it. */
  action: string;
  args: readonly string[];
  gitDir?: string;
  workTree?: string;
  indexFile?: string;
  /** Of the commits that the command makes. */
  author?: Author;
  input?: Buffer;
  /** Given, the command is ended, as a success, once its output has this many bytes. */
  enoughBytes?: number;
  /** Given, the command may talk to this remote and to nobody else. */
  remote?: Remote;
  limitMs?: number;
  signal?: AbortSignal | undefined;
};

export type Ran = { code: number; stdout: Buffer; stderr: string };

// simple-git asks a process to end (SIGINT) and then waits for it; we do not wait for ever.
const GRACE_MS = 5_000;

/** Answers with git's exit code; throws only if the command did not run to its own end. */
export type RunGit = (command: GitCommand) => Promise<Ran>;

type RunGitOptions = {
  baseDir: string;
  searchPath: string;
  /** Where the ssh agent of the worker's user listens. Only commands for an ssh remote learn of it. */
  sshAuthSock?: string | undefined;
  credential: () => Promise<string | undefined>;
  limits: { localMs: number; networkMs: number; outputBytes: number };
};

/** The only place that starts git. One instance per command, because environment and signal are those of the command. */
export function createRunGit(options: RunGitOptions): RunGit {
  quietSimpleGit();
  return async (command) => {
    const { remote } = command;
    const token = remote?.origin === undefined ? undefined : (await options.credential()) || undefined;
    const limitMs =
      command.limitMs ?? (remote === undefined ? options.limits.localMs : options.limits.networkMs);
    const stop = stopWhen(command, limitMs);
    try {
      const env = buildEnv({ ...options, ...command, token });
      const ran = await start({ command, env, stop, options });
      if (stop.reason !== undefined) throw stop.reason;
      return token === undefined ? ran : hideToken(ran, token);
    } finally {
      stop.done();
    }
  };
}

/** For commands that have no other answer than success. */
export async function mustRun(run: RunGit, command: GitCommand): Promise<Ran> {
  const ran = await run(command);
  if (ran.code !== 0) throw toFailure({ action: command.action, ...ran });
  return ran;
}

type Stop = {
  signal: AbortSignal;
  reason: Error | undefined;
  /** Settles only if the command was told to end and did not. */
  ignored: Promise<never>;
  isEnough: boolean;
  now(reason: Error): void;
  /** Ends the command without a complaint. */
  enough(): void;
  done(): void;
};
type Start = { command: GitCommand; env: Record<string, string>; stop: Stop; options: RunGitOptions };

function stopWhen({ action, signal }: GitCommand, limitMs: number): Stop {
  const controller = new AbortController();
  let giveUp: (reason: Error) => void = () => {};
  let grace: NodeJS.Timeout | undefined;
  const end = (reason: Error) => {
    grace ??= setTimeout(() => giveUp(reason), GRACE_MS);
    controller.abort();
  };
  const stop: Stop = {
    signal: controller.signal,
    reason: undefined,
    ignored: new Promise((_resolve, reject) => {
      giveUp = reject;
    }),
    isEnough: false,
    now: (reason) => {
      stop.reason ??= reason;
      end(reason);
    },
    enough: () => {
      stop.isEnough = true;
      end(stoppedFailure(action));
    },
    done: () => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener('abort', onAbort);
    },
  };
  const onAbort = () => stop.now(stoppedFailure(action));
  const timer = setTimeout(() => stop.now(timedOutFailure(action, limitMs)), limitMs);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  return stop;
}

async function start({ command, env, stop, options }: Start): Promise<Ran> {
  if (stop.reason !== undefined) throw stop.reason;
  const ran: Ran = { code: -1, stdout: Buffer.alloc(0), stderr: '' };
  const git = simpleGit({
    baseDir: options.baseDir,
    abort: stop.signal,
    allowEnvironment: Object.keys(env),
    unsafe: ALLOWED_BY_NAME,
    input: () => command.input,
    // Every exit code is an answer here; the caller decides what it means.
    errors: (_error, { exitCode, stdOut, stdErr }) => {
      ran.code = exitCode ?? -1;
      ran.stdout = Buffer.concat(stdOut);
      ran.stderr = Buffer.concat(stdErr).toString();
      return undefined;
    },
  });
  let [bytes, said] = [0, 0];
  git.env(env).outputHandler((_name, stdout, stderr) => {
    const measure = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > options.limits.outputBytes)
        stop.now(
          createFailure(
            'invalid-data',
            `${command.action} gave more than ${options.limits.outputBytes} bytes`,
          ),
        );
    };
    // A remote can talk without end on stderr as well.
    for (const stream of [stdout, stderr]) stream.on('data', measure);
    stdout.on('data', (chunk: Buffer) => {
      said += chunk.length;
      if (said >= (command.enoughBytes ?? Number.POSITIVE_INFINITY)) stop.enough();
    });
    // simple-git waits 50 ms longer for a process that said nothing, and most of ours have nothing to say.
    setImmediate(() => stderr.emit('data', Buffer.alloc(0)));
  });
  await Promise.race([git.raw([...command.args]), stop.ignored]);
  return stop.isEnough ? { ...ran, code: 0 } : ran;
}

function hideToken({ code, stdout, stderr }: Ran, token: string): Ran {
  return {
    code,
    stdout: Buffer.from(hide(stdout.toString('latin1'), token), 'latin1'),
    stderr: hide(stderr, token),
  };
}

function hide(text: string, token: string): string {
  return text.replaceAll(token, '***').replaceAll(encodeToken(token), '***');
}
