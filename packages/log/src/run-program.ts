import { armFailpoint, createStop, explainError, type Log } from '@mergexo/core/basics';
import { createRedact, type Redact } from '@mergexo/core/text';
import { createLog, type LogLevel } from './create-log.js';

type ProgramSettings = {
  config: { runtime: { logLevel: LogLevel } };
  paths: { logs: string };
  redact: Redact;
  verbose: boolean;
  /** The failpoint at which a test kills the program. */
  failpoint?: string | undefined;
};

export type Program = {
  log: Log;
  /** Sets the function that runs at shutdown, before the program exits. */
  stopWith(stop: () => Promise<unknown>): void;
  /** Shuts down in the same way as after a signal. */
  leave(signal: string): Promise<void>;
  fail(error: unknown): void;
};

type Parts<S> = { app: string; read: () => S; start: (settings: S, program: Program) => Promise<void> };

/** Runs a program from start to exit. A second signal exits at once, which is safe: all state survives a crash. */
export async function runProgram<S extends ProgramSettings>({ app, read, start }: Parts<S>): Promise<void> {
  let redact: Redact = createRedact([]);
  try {
    const settings = read();
    redact = settings.redact;
    armFailpoint(settings.failpoint, () => process.kill(process.pid, 'SIGKILL'));
    await start(settings, open(app, settings));
  } catch (error) {
    exit({ app, redact }, error);
  }
}

function open(app: string, { config, paths, redact, verbose }: ProgramSettings): Program {
  const level = verbose ? 'debug' : config.runtime.logLevel;
  const { log, close } = createLog({ app, level, redact, dir: paths.logs });
  let stop = async (): Promise<unknown> => undefined;
  const leave = async (signal: string): Promise<void> => {
    log.info({ signal }, `${app} is stopping`);
    await stop();
    await close();
    process.exit(0);
  };
  const now = (): number => performance.now();
  const onSignal = createStop({ now, begin: leave, abort: () => process.exit(1) });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return {
    log,
    stopWith: (work) => {
      stop = work;
    },
    leave,
    fail: (error) => void close().finally(() => exit({ app, redact }, error)),
  };
}

/** Prints an expected error as one line with the next step, and a bug with its stack. */
function exit({ app, redact }: { app: string; redact: Redact }, error: unknown): never {
  const problem = explainError(error);
  const text = problem?.message ?? (error instanceof Error ? error.stack : String(error));
  process.stderr.write(`mergexo ${app}: ${redact(text ?? '')}\n`);
  process.exit(problem?.exitCode ?? 1);
}
