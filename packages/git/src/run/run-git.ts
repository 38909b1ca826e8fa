import type { ProxySettings } from '@mergexo/core/basics';
import { simpleGit } from 'simple-git';
import { ALLOWED_BY_NAME, type Author, buildEnv, encodeToken } from './build-env.js';
import type { Remote } from './parse-remote.js';
import { quietSimpleGit } from './quiet-simple-git.js';
import { createFailure, stoppedFailure, timedOutFailure, toFailure } from './to-failure.js';

/** A repository and the function that runs git in it. */
export type Repository = { run: RunGit; gitDir: string; signal?: AbortSignal | undefined };

export type GitCommand = {
  /** Describes the command for error messages, which start with this text, for example `listing a..b`. */
  action: string;
  args: readonly string[];
  gitDir?: string;
  workTree?: string;
  indexFile?: string;
  /** The author of the commits that the command makes. */
  author?: Author;
  input?: Buffer;
  /** Ends the command successfully once its output has this many bytes. */
  enoughBytes?: number;
  /** The only remote that the command may contact. If absent, the command may contact none. */
  remote?: Remote;
  limitMs?: number;
  signal?: AbortSignal | undefined;
};

export type Ran = { code: number; stdout: Buffer; stderr: string };

// How long to wait after simple-git's SIGINT. simple-git itself waits for the process without a limit.
const GRACE_MS = 5_000;

/** Resolves for every exit code. Throws only if the command was stopped or could not run. */
export type RunGit = (command: GitCommand) => Promise<Ran>;

type RunGitOptions = {
  baseDir: string;
  searchPath: string;
  /** The socket of the ssh agent that belongs to the worker's user. Only commands for an ssh remote get it. */
  sshAuthSock?: string | undefined;
  /** Only commands for an https remote get the proxy and the certificates. */
  proxy?: ProxySettings | undefined;
  caInfo?: string | undefined;
  credential: () => Promise<string | undefined>;
  limits: { localMs: number; networkMs: number; outputBytes: number };
};

/**
 * Creates the only function that starts git. Each command has its own simple-git instance, because
 * environments and signals differ.
 */
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

export const runIn = ({ run, gitDir, signal }: Repository, command: GitCommand): Promise<Ran> =>
  run({ gitDir, signal, ...command });

/** Returns the output of a command, and throws if the command fails. */
export async function mustRun(repository: Repository, command: GitCommand): Promise<Buffer> {
  const ran = await runIn(repository, command);
  if (ran.code !== 0) throw toFailure({ action: command.action, ...ran });
  return ran.stdout;
}

type Stop = {
  signal: AbortSignal;
  reason: Error | undefined;
  /** Rejects if the command keeps running after MergeXO asked it to end. */
  ignored: Promise<never>;
  isEnough: boolean;
  now(reason: Error): void;
  /** Ends the command successfully. */
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
    // Suppresses simple-git's errors, because callers decide what an exit code means.
    errors: (_error, { exitCode, stdOut, stdErr }) => {
      ran.code = exitCode ?? -1;
      ran.stdout = Buffer.concat(stdOut);
      ran.stderr = Buffer.concat(stdErr).toString();
      return undefined;
    },
  });
  let [bytes, stdoutBytes] = [0, 0];
  git.env(env).outputHandler((_name, stdout, stderr) => {
    const measure = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > options.limits.outputBytes)
        stop.now(
          createFailure(
            'invalid-data',
            `${command.action} failed: git printed more than the limit of ${options.limits.outputBytes} bytes`,
          ),
        );
    };
    // Counts stderr too, because a remote can send unlimited output on it.
    for (const stream of [stdout, stderr]) stream.on('data', measure);
    stdout.on('data', (chunk: Buffer) => {
      stdoutBytes += chunk.length;
      if (stdoutBytes >= (command.enoughBytes ?? Number.POSITIVE_INFINITY)) stop.enough();
    });
    // The empty chunk saves the 50 ms that simple-git waits for a process without output. Most git commands here print
    // nothing.
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
