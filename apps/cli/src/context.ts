import type { SecretRedact } from '@mergexo/core/text';
import { toPrintable, toPrintableJson } from './printable.js';

/** Passed to every command: the common options, the environment, and functions for input and output. */
export type Context = {
  configPath: string | undefined;
  verbose: boolean;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  /** Prints the path of the config that a command found, unless --config or MERGEXO_CONFIG names the file. */
  announce(configPath: string): void;
  /** Redacts everything that the program prints. Learns each secret that a command reads. */
  redact?: SecretRedact;
  /** Asks for confirmation. Undefined without a terminal. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Asks for a line of text, which may be empty. Undefined without a terminal. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** Prints the value as JSON if --json is set, else the rendered lines. */
  print(value: unknown, render: () => readonly string[]): void;
  /** Prints like `print`, but without redaction. Only for a command whose purpose is to print a secret. */
  printSecret: Context['print'];
  /** Prints one event as one line, as JSON if --json is set. */
  printLine(value: unknown, render: () => string): void;
};

export function createContext(options: {
  config?: string;
  verbose?: boolean;
  json?: boolean;
  env: Context['env'];
  homeDir: string;
  write: (text: string) => void;
  /** Writes a line that is not part of the output. */
  note?: (text: string) => void;
  redact?: SecretRedact;
  confirm?: Context['confirm'];
  ask?: Context['ask'];
}): Context {
  const { config, verbose = false, json = false, env, homeDir, note, redact, confirm, ask } = options;
  const write = (text: string): void => options.write(`${text}\n`);
  const writeClean = (text: string): void => write(redact?.(text) ?? text);
  const isNamed = config !== undefined || (env['MERGEXO_CONFIG'] ?? '') !== '';
  let isAnnounced = isNamed || json;
  return {
    configPath: config,
    verbose,
    env,
    homeDir,
    announce(configPath) {
      if (!isAnnounced) note?.(`Config: ${toPrintable(configPath)}\n`);
      isAnnounced = true;
    },
    ...(redact && { redact }),
    confirm,
    ask,
    print: (value, render) =>
      json ? write(toPrintableJson(value, { redact })) : writeClean(toPrintable(render().join('\n'))),
    printSecret: (value, render) => write(json ? toPrintableJson(value) : toPrintable(render().join('\n'))),
    printLine: (value, render) =>
      json ? write(toPrintableJson(value, { indent: 0, redact })) : writeClean(toPrintable(render())),
  };
}

/** Returns the exit code and the error message, which includes the cause if `verbose` is set. */
export async function describeError(
  error: unknown,
  verbose: boolean,
): Promise<{ message: string; exitCode: number }> {
  // Loads the module only after an error, because loading takes longer than most commands.
  const { explainError } = await import('@mergexo/core/basics');
  const problem = explainError(error);
  if (problem === undefined)
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 };
  const cause = error instanceof Error && verbose ? error.cause : undefined;
  if (cause === undefined) return problem;
  const { message } = await describeError(cause, verbose);
  return { ...problem, message: `${problem.message}\n  Cause: ${message}` };
}
