import { toPrintable, toPrintableJson } from './printable.js';

/** What every command gets: the common options, the environment, and one way to speak. */
export type Context = {
  configPath: string | undefined;
  verbose: boolean;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  /** Asks the person at the terminal; undefined where there is none. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Asks for a line of text; undefined where nobody can be asked. Empty when nothing was said. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** JSON for scripts, lines for people. */
  print(value: unknown, render: () => readonly string[]): void;
  /** The same for one of many events: each is one line. */
  printLine(value: unknown, render: () => string): void;
};

export function createContext(options: {
  config?: string;
  verbose?: boolean;
  json?: boolean;
  env: Context['env'];
  homeDir: string;
  write: (text: string) => void;
  confirm?: Context['confirm'];
  ask?: Context['ask'];
}): Context {
  const { config, verbose = false, json = false, env, homeDir, write, confirm, ask } = options;
  return {
    configPath: config,
    verbose,
    env,
    homeDir,
    confirm,
    ask,
    print: (value, render) =>
      write(json ? `${toPrintableJson(value)}\n` : `${toPrintable(render().join('\n'))}\n`),
    printLine: (value, render) => write(`${json ? toPrintableJson(value, 0) : toPrintable(render())}\n`),
  };
}

/** What went wrong, with its causes if asked for, and the exit code. */
export async function describeError(
  error: unknown,
  verbose: boolean,
): Promise<{ message: string; exitCode: number }> {
  // Loaded only when something went wrong: it takes longer than most commands.
  const { explainError } = await import('@mergexo/core/basics');
  const problem = explainError(error);
  if (problem === undefined)
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 };
  const cause = error instanceof Error && verbose ? error.cause : undefined;
  if (cause === undefined) return problem;
  const { message } = await describeError(cause, verbose);
  return { ...problem, message: `${problem.message}\n  because: ${message}` };
}
