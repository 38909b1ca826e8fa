import { homedir } from 'node:os';
import { MERGEXO_CLI } from '@mergexo/core/mergexo-cli';
import { Command, CommanderError } from 'commander';
import type { AdoptOptions } from './commands/adopt.js';
import type { BlockedListOptions } from './commands/blocked-list.js';
import type { BlockedResetOptions } from './commands/blocked-reset.js';
import type { DemoOptions } from './commands/demo.js';
import type { ExplainOptions } from './commands/explain.js';
import type { InitOptions } from './commands/init.js';
import type { RunOptions } from './commands/run.js';
import type { ServiceOptions } from './commands/service-print.js';
import type { StatusOptions } from './commands/status.js';
import type { UpOptions } from './commands/up.js';
import { ask, confirm } from './confirm.js';
import { type Context, createContext, describeError } from './context.js';
import { toPrintable, toPrintableJson } from './printable.js';

const VERSION = '0.1.0';
/** A connection that cannot be closed keeps no command from ending. */
const LINGER_MS = 2_000;

type CommonOptions = { config?: string; verbose?: boolean; json?: boolean };

// Commands are imported when they are called: what they need takes longer to load than most of them to run.
const program = new Command(MERGEXO_CLI)
  .description('Turns GitHub issues into reviewed, merged pull requests with coding agents.')
  .version(VERSION)
  .showHelpAfterError('(add --help for usage)')
  .exitOverride();

addCommand(program, 'init', 'write a commented config and create directory, database and signing secret')
  .option('--repo <owner/name>', 'the repository to work on')
  .option('--agent <adapter>', 'codex, claude or command')
  .option('--command <word...>', 'with --agent command: the program and its arguments')
  .option('--api-url <url>', 'for GitHub Enterprise Server: https://<host>/api/v3')
  .option('--labels', 'create the labels on GitHub (asks at a terminal)')
  .option('--no-labels', 'do not create them, and do not ask')
  .option('--dry-run', 'show what is missing, change nothing')
  .addHelpText(
    'after',
    examples(
      'init',
      'init --repo ada/engine --agent claude --labels',
      'init --config ~/fleet.toml --dry-run',
    ),
  )
  .action(async (options: CommonOptions & InitOptions) => {
    const { init } = await import('./commands/init.js');
    await init(contextOf(options), options);
  });

addCommand(program, 'doctor', 'check this machine and the config, and name the fix for whatever is wrong')
  .addHelpText('after', examples('doctor', 'doctor --json'))
  .action(async (options: CommonOptions) => {
    const { doctor } = await import('./commands/doctor.js');
    if (!(await doctor(contextOf(options)))) process.exitCode = 1;
  });

addCommand(program, 'up', 'run everything on this machine: Redis, poller, workers and dashboard')
  .option('--workers <count>', 'how many workers (default: runtime.worker_count)')
  .option('--no-dashboard', 'without the dashboard')
  .option('--no-check', 'start without the checks of doctor')
  .addHelpText(
    'after',
    `
The checks of doctor run first; when nothing could work, up stops. A dashboard that cannot start stops nothing else.
Whatever dies is started again, after 1, 2, 4 … 30 seconds. Ctrl-C or SIGTERM: workers finish their turn or hand it
back, then the rest stops; a second signal is abrupt, and still safe. With --json every event is one line.
${examples('up', 'up --workers 4 --no-dashboard', 'up --json')}`,
  )
  .action(async (options: CommonOptions & UpOptions) => {
    const { up } = await import('./commands/up.js');
    if (!(await up(contextOf(options), options))) process.exitCode = 1;
  });

const service = program.command('service').description('run up as a service of this machine');

addCommand(service, 'print', 'print a service file for up; its comments say how to install it')
  .option('--launchd', 'for macOS (the default there)')
  .option('--systemd', 'for Linux (the default elsewhere)')
  .addHelpText('after', examples('service print --systemd > ~/.config/systemd/user/mergexo.service'))
  .action(async (options: CommonOptions & ServiceOptions) => {
    const { printService } = await import('./commands/service-print.js');
    printService(contextOf(options), options);
  });

addCommand(program, 'status', 'show what is in work, what it waits for, who works and what it cost today')
  .option('--repo <owner/name>', 'only this repository')
  .addHelpText(
    'after',
    `
Exits with 1 when the poller does not run, GitHub rejects the token, Redis does not answer or a repository is not
polled. The first lines name the problem and the next step.
${examples('status', 'status --repo ada/engine --json')}`,
  )
  .action(async (options: CommonOptions & StatusOptions) => {
    const { status } = await import('./commands/status.js');
    if (!status(contextOf(options), options)) process.exitCode = 1;
  });

addCommand(program, 'explain <number>', 'show what happened to an issue or pull request, and why')
  .option('--repo <owner/name>', 'where several repositories are configured')
  .addHelpText(
    'after',
    `
Shows its runs, every comment with what became of it (pending, in_work, answered, or skipped with the reason), and the
last events; --verbose shows all of them.
${examples('explain 42', 'explain 42 --repo ada/engine --json')}`,
  )
  .action(async (number: string, options: CommonOptions & ExplainOptions) => {
    const { explain } = await import('./commands/explain.js');
    explain(contextOf(options), number, options);
  });

addCommand(program, 'run', 'do what is to be done now, then stop (with --once)')
  .option('--once', 'one look at GitHub, then work until nothing is left')
  .addHelpText('after', examples('run --once --verbose'))
  .action(async (options: CommonOptions & RunOptions) => {
    const { run } = await import('./commands/run.js');
    await run(contextOf(options), options);
  });

addCommand(program, 'adopt', 'start clean in a repository whose signing secret is lost or was replaced')
  .option('--repo <owner/name>', 'the repository')
  .option('--dry-run', 'show what would happen, change nothing')
  .option('--yes', 'do not ask')
  .addHelpText(
    'after',
    `
Stop MergeXO first. The runs of the repository end, every earlier comment counts as handled, and only labels and comments
from now on count. A missing secret is created. If you can restore the old secret, do that instead: nothing is lost then.
${examples('adopt --repo ada/engine --dry-run', 'adopt --repo ada/engine')}`,
  )
  .action(async (options: CommonOptions & AdoptOptions) => {
    const { adopt } = await import('./commands/adopt.js');
    await adopt(contextOf(options), options);
  });

const blocked = program
  .command('feedback')
  .description('look after the answers to comments on pull requests')
  .command('blocked')
  .description('pull requests and issues on which MergeXO stopped until an operator resumes them');

addCommand(
  blocked,
  'list',
  'show blocked pull requests and issues: why, since when, and how many comments wait',
)
  .option('--repo <owner/name>', 'only this repository')
  .addHelpText('after', examples('feedback blocked list', 'feedback blocked list --json'))
  .action(async (options: CommonOptions & BlockedListOptions) => {
    const { listBlocked } = await import('./commands/blocked-list.js');
    listBlocked(contextOf(options), options);
  });

addCommand(blocked, 'reset', 'resume blocked pull requests and issues, or start a waiting retry; all or none')
  .option('--pr <number...>', 'these pull requests')
  .option('--issue <number...>', 'these issues, also before they have a pull request')
  .option('--all', 'every blocked one and every waiting retry; asks first')
  .option('--repo <owner/name>', 'in this repository')
  .option('--head-sha <sha>', 'accept this commit as the head from which history grows (with one --pr)')
  .option('--dry-run', 'show what would happen, change nothing')
  .option('--yes', 'do not ask')
  .addHelpText(
    'after',
    `
A retry that waits for its time starts at once, unless a usage limit of the agent's provider holds. No comment is lost: those that wait are answered next. The accepted head stays as it is unless --head-sha names another.
While a poller runs it is asked to do this; a request that it does not take up within 30 seconds expires.
${examples(
  'feedback blocked reset --pr 7',
  'feedback blocked reset --issue 42',
  'feedback blocked reset --pr 7 --head-sha 0123456789abcdef0123456789abcdef01234567',
  'feedback blocked reset --all --dry-run',
  'feedback blocked reset --all --repo ada/engine --yes',
)}`,
  )
  .action(async (options: CommonOptions & BlockedResetOptions) => {
    const { resetBlocked } = await import('./commands/blocked-reset.js');
    await resetBlocked(contextOf(options), options);
  });

program
  .command('demo')
  .description('watch the whole loop on an offline GitHub: no credentials, nothing is left behind')
  .option('--no-serve', 'stop after the story')
  .option('--fast', 'an agent that thinks for a shorter time')
  .option('--patience <seconds>', 'how long to wait for each step (default: 60)')
  .option('--json', 'one JSON object per line')
  .action(async (options: DemoOptions) => {
    const { demo } = await import('./commands/demo.js');
    await demo(options);
  });

function addCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--config <file>', 'the configuration (default: $MERGEXO_CONFIG or ./mergexo.toml)')
    .option('--verbose', 'say more, and show the causes of errors')
    .option('--json', 'print JSON, for scripts');
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${MERGEXO_CLI} ${line}`).join('\n')}`;
}

function contextOf(options: CommonOptions): Context {
  const write = (text: string): void => void process.stdout.write(text);
  const { stdin: input, stderr: output } = process;
  return createContext({
    ...options,
    env: process.env,
    homeDir: homedir(),
    write,
    ...(input.isTTY && {
      confirm: (question) => confirm(question, { input, output }),
      ask: (question) => ask(question, { input, output }),
    }),
  });
}

try {
  await program.parseAsync();
} catch (error) {
  await reportError(error);
}
setTimeout(() => process.exit(), LINGER_MS).unref();

async function reportError(error: unknown): Promise<void> {
  if (error instanceof CommanderError) {
    // Commander has printed the reason. Its code is 0 after --help and 1 for a wrong call.
    const { USAGE_EXIT_CODE } = await import('@mergexo/core/basics');
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
    return;
  }
  const { message, exitCode } = await describeError(error, process.argv.includes('--verbose'));
  if (process.argv.includes('--json'))
    process.stdout.write(`${toPrintableJson({ ok: false, error: message })}\n`);
  else process.stderr.write(`mergexo: ${toPrintable(message)}\n`);
  process.exitCode = exitCode;
}
