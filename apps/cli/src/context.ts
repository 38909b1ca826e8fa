import { Failure } from '@mergexo/core';

/** What every command gets: the common options, the environment, and one way to speak. */
export type Context = {
  configPath: string | undefined;
  verbose: boolean;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  /** JSON for scripts, lines for people. */
  print(value: unknown, render: () => readonly string[]): void;
};

export function createContext(options: {
  config?: string;
  verbose?: boolean;
  json?: boolean;
  env: Context['env'];
  homeDir: string;
  write: (text: string) => void;
}): Context {
  const { config, verbose = false, json = false, env, homeDir, write } = options;
  return {
    configPath: config,
    verbose,
    env,
    homeDir,
    print: (value, render) =>
      write(json ? `${JSON.stringify(value, null, 2)}\n` : `${render().join('\n')}\n`),
  };
}

/** What went wrong, with its causes if asked for. */
export function describeError(error: unknown, verbose: boolean): string {
  if (!(error instanceof Error)) return String(error);
  const expected = error instanceof Failure || error.name === 'ConfigError';
  if (!expected) return error.stack ?? error.message;
  const cause =
    verbose && error.cause !== undefined ? `\n  because: ${describeError(error.cause, verbose)}` : '';
  return error.message + cause;
}
