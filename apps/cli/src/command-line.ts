import { homedir } from 'node:os';
import { MERGEXO_CLI } from '@mergexo/core/mergexo-cli';
import type { SecretRedact } from '@mergexo/core/text';
import { type Command, CommanderError } from 'commander';
import { ask, confirm } from './confirm.js';
import { type Context, createContext, describeError } from './context.js';
import { toPrintable, toPrintableJson } from './printable.js';

export type CommonOptions = { config?: string; verbose?: boolean; json?: boolean };

/** Runs a command. If it returns `false` for a negative result, the exit code is 1, without an error message. */
export function run<Options>(load: () => Promise<(context: Context, options: Options) => unknown>) {
  return async (options: CommonOptions & Options): Promise<void> => {
    const command = await load();
    if ((await command(await contextOf(options), options)) === false) process.exitCode = 1;
  };
}

/** Shown in the help. The actual directory can also come from $XDG_CONFIG_HOME. */
const USER_CONFIG =
  process.platform === 'darwin'
    ? '~/Library/Application Support/mergexo/mergexo.toml'
    : '~/.config/mergexo/mergexo.toml';

export function addCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option(
      '--config <file>',
      `path to the config file (default: $MERGEXO_CONFIG, ./mergexo.toml or ${USER_CONFIG})`,
    )
    .option('--verbose', 'print more details, including the causes of errors')
    .option('--json', 'print JSON, for scripts');
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${MERGEXO_CLI} ${line}`).join('\n')}`;
}

/** Created when the first command runs, because loading the module takes longer than printing the help. */
let redact: SecretRedact | undefined;

export async function contextOf(options: CommonOptions): Promise<Context> {
  redact ??= (await import('@mergexo/core/text')).createRedact([]);
  const write = (text: string): void => void process.stdout.write(text);
  const { stdin: input, stderr: output } = process;
  return createContext({
    ...options,
    env: process.env,
    homeDir: homedir(),
    write,
    note: (text) => void process.stderr.write(text),
    redact,
    ...(input.isTTY && {
      confirm: (question) => confirm(toQuestion(question), { input, output }),
      ask: (question) => ask(toQuestion(question), { input, output }),
    }),
  });
}

/** Makes names from files and from GitHub safe for the terminal. */
function toQuestion(text: string): string {
  return toPrintable(redact?.(text) ?? text);
}

export async function reportError(error: unknown): Promise<void> {
  if (error instanceof CommanderError) {
    // Commander has already printed the reason. Its exit code is 0 after --help and 1 for invalid usage.
    const { USAGE_EXIT_CODE } = await import('@mergexo/core/basics');
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
    return;
  }
  const { message: text, exitCode } = await describeError(error, process.argv.includes('--verbose'));
  const message = redact?.(text) ?? text;
  if (process.argv.includes('--json'))
    process.stdout.write(`${toPrintableJson({ ok: false, error: message })}\n`);
  else process.stderr.write(`mergexo: ${toPrintable(message)}\n`);
  process.exitCode = exitCode;
}
