import { homedir } from 'node:os';
import { Command, CommanderError } from 'commander';
import { doctor } from './commands/doctor.js';
import { type ExplainOptions, explain } from './commands/explain.js';
import { type InitOptions, init } from './commands/init.js';
import { type RunOptions, run } from './commands/run.js';
import { type Context, createContext, describeError } from './context.js';

const VERSION = '0.1.0';

type CommonOptions = { config?: string; verbose?: boolean; json?: boolean };

const program = new Command('mergexo')
  .description('Turns GitHub issues into reviewed, merged pull requests with coding agents.')
  .version(VERSION)
  .showHelpAfterError('(add --help for usage)')
  .exitOverride();

addCommand('init', 'write a commented config and create directory, database and signing secret')
  .option('--repo <owner/name>', 'the repository to work on')
  .option('--agent <adapter>', 'codex, claude or command')
  .action((options: CommonOptions & InitOptions) => init(contextOf(options), options));

addCommand('doctor', 'check this machine and the config, and name the fix for whatever is wrong').action(
  async (options: CommonOptions) => {
    if (!(await doctor(contextOf(options)))) process.exitCode = 1;
  },
);

addCommand('explain <issue>', 'show what happened to an issue, what it waits for, and why')
  .option('--repo <owner/name>', 'where several repositories are configured')
  .action((issue: string, options: CommonOptions & ExplainOptions) =>
    explain(contextOf(options), issue, options),
  );

addCommand('run', 'do what is to be done now, then stop (with --once)')
  .option('--once', 'one look at GitHub, then work until nothing is left')
  .action((options: CommonOptions & RunOptions) => run(contextOf(options), options));

function addCommand(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--config <file>', 'the configuration (default: $MERGEXO_CONFIG or ./mergexo.toml)')
    .option('--verbose', 'say more, and show the causes of errors')
    .option('--json', 'print JSON, for scripts');
}

function contextOf(options: CommonOptions): Context {
  const write = (text: string): void => void process.stdout.write(text);
  return createContext({ ...options, env: process.env, homeDir: homedir(), write });
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else reportError(error);
}

function reportError(error: unknown): void {
  const message = describeError(error, process.argv.includes('--verbose'));
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ ok: false, error: message })}\n`);
  else process.stderr.write(`mergexo: ${message}\n`);
  process.exitCode = 1;
}
