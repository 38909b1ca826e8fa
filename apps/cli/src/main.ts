import { MERGEXO_CLI } from '@mergexo/core/mergexo-cli';
import { Command } from 'commander';
import { addCommand, type CommonOptions, contextOf, examples, reportError, run } from './command-line.js';
import type { DemoOptions } from './commands/demo.js';
import type { ExplainOptions } from './commands/explain.js';
import { addDataCommands } from './data-commands.js';
import { addOperatorCommands, REASON } from './operator-commands.js';

const VERSION = '0.1.0';
/** After this delay the process exits even if a connection is still open. */
const LINGER_MS = 2_000;

// Commands are imported on demand, because loading their dependencies takes longer than running most commands.
const program = new Command(MERGEXO_CLI)
  .description('Uses coding agents to turn GitHub issues into reviewed pull requests.')
  .version(VERSION)
  .showHelpAfterError('(add --help for usage)')
  .exitOverride();

addCommand(program, 'init', 'create the config, the data directory, the database and the signing secret')
  .option('--repo <owner/name>', 'the repository to work on')
  .option('--agent <adapter>', 'codex, claude or command')
  .option('--command <word...>', 'with --agent command: the program and its arguments')
  .option('--api-url <url>', 'for GitHub Enterprise Server: https://<host>/api/v3')
  .option(
    '--host <host>',
    'host name of your GitHub Enterprise Server or data-residency GitHub, instead of --api-url',
  )
  .option('--app', 'create a GitHub App for MergeXO in the browser, and wait until it is installed')
  .option('--org <login>', 'with --app: the organisation that owns the App (default: you)')
  .option('--webhook-url <url>', 'with --app: the https:// address to which GitHub sends webhooks')
  .option('--workflows', 'with --app: also ask for the permission to push workflow files')
  .option('--no-browser', 'with --app: only print the addresses')
  .option('--labels', 'create the labels on GitHub (default: ask at a terminal)')
  .option('--no-labels', 'do not create labels, and do not ask')
  .option('--compose', 'write docker-compose.yml, .env with new secrets, and the config, for containers')
  .option('--dry-run', 'show what is missing without changing anything')
  .addHelpText(
    'after',
    examples(
      'init',
      'init --compose --repo ada/engine',
      'init --repo ada/engine --agent claude --labels',
      'init --repo acme/engine --app --org acme',
      'init --config ~/fleet.toml --dry-run',
    ),
  )
  .action(run(async () => (await import('./commands/init.js')).init));

addCommand(program, 'doctor', 'check this machine and the config, and suggest a fix for each problem')
  .option(
    '--role <program>',
    'only the checks for poller, worker or dashboard (default: $MERGEXO_ROLE, or all)',
  )
  .addHelpText('after', examples('doctor', 'doctor --json', 'doctor --role worker'))
  .action(run(async () => (await import('./commands/diagnose/doctor.js')).doctor));

addCommand(program, 'health', 'check one running program, for container health checks')
  .option('--role <program>', 'poller, worker or dashboard (default: $MERGEXO_ROLE)')
  .addHelpText(
    'after',
    `
Exits with 1 if the poller cannot work (\`status\` shows the reason), if the poller has not acknowledged a
heartbeat from the worker for 30 seconds, or if the dashboard does not respond.
${examples('health --role poller', 'health --role worker --json')}`,
  )
  .action(run(async () => (await import('./commands/diagnose/health.js')).health));

addCommand(program, 'up', 'run Redis, the poller, the workers and the dashboard on this machine')
  .option('--workers <count>', 'number of workers (default: runtime.worker_count)')
  .option('--no-dashboard', 'do not start the dashboard')
  .option('--no-check', 'skip the doctor checks')
  .addHelpText(
    'after',
    `
Runs the doctor checks first and exits if they find a problem that prevents all work. Restarts a process that exits, with a delay of
1, 2, 4 … 30 seconds. If the dashboard cannot start, everything else keeps running.

Press Ctrl-C or send SIGTERM to stop: workers finish or return their turns first. A second signal stops
MergeXO immediately, which is also safe. With --json, each event is one line.
${examples('up', 'up --workers 4 --no-dashboard', 'up --json')}`,
  )
  .action(run(async () => (await import('./commands/up.js')).up));

addCommand(program, 'worker-key <name>', 'print the key that a worker on another host needs')
  .addHelpText(
    'after',
    `
Run this command on the poller's host, and set MERGEXO_WORKER_KEY on the worker's host to its output. Give each host
its own name. The same name always has the same key. Workers on the poller's host need no key.
${examples('worker-key build-2')}`,
  )
  .action(async (name: string, options: CommonOptions) => {
    const { printWorkerKey } = await import('./commands/worker-key.js');
    printWorkerKey(await contextOf(options), name);
  });

const service = program.command('service').description('run MergeXO as a system service');

addCommand(service, 'install', 'install and start the service: systemd on Linux, launchd on macOS')
  .addHelpText(
    'after',
    `\nThe service starts at each login. Run this command again after you update Node or MergeXO.\n${examples('service install')}`,
  )
  .action(run(async () => (await import('./commands/service/install.js')).installService));

addCommand(
  service,
  'status',
  'show whether the service is installed and running; exits with 1 if it is not running',
)
  .addHelpText('after', examples('service status --json'))
  .action(run(async () => (await import('./commands/service/status.js')).showService));

addCommand(service, 'uninstall', 'stop and remove the service; keeps the config and the data')
  .addHelpText('after', examples('service uninstall'))
  .action(run(async () => (await import('./commands/service/uninstall.js')).uninstallService));

addCommand(service, 'print', 'print a service file with installation steps')
  .option('--launchd', 'for macOS (the default there)')
  .option('--systemd', 'for Linux (the default elsewhere)')
  .addHelpText('after', examples('service print --systemd > ~/.config/systemd/user/mergexo.service'))
  .action(run(async () => (await import('./commands/service/print.js')).printService));

addCommand(program, 'status', "show work in progress, what it is waiting for, the workers and today's spend")
  .option('--repo <owner/name>', 'only this repository')
  .addHelpText(
    'after',
    `
Exits with 1 if the poller is not running, GitHub rejects the token, Redis does not respond or a repository is not
polled. The first lines name the problem and the next step.
${examples('status', 'status --repo ada/engine --json')}`,
  )
  .action(run(async () => (await import('./commands/status.js')).status));

addCommand(
  program,
  'explain <number>',
  'show the history of an issue or pull request, and what it is waiting for',
)
  .option('--repo <owner/name>', 'only this repository')
  .addHelpText(
    'after',
    `
Shows the runs, every comment with its state (pending, in_progress, answered, or skipped with the reason), and the latest
events. Use --verbose to show all events.
${examples('explain 42', 'explain 42 --repo ada/engine --json')}`,
  )
  .action(async (number: string, options: CommonOptions & ExplainOptions) => {
    const { explain } = await import('./commands/explain.js');
    explain(await contextOf(options), number, options);
  });

addCommand(program, 'run', 'poll once, finish the work and exit (requires --once)')
  .option('--once', 'poll GitHub once, then work until nothing is left')
  .addHelpText('after', examples('run --once --verbose'))
  .action(run(async () => (await import('./commands/run.js')).run));

addCommand(program, 'eval', 'replay your merged pull requests with your agent and measure the results')
  .option('--repo <owner/name>', 'the repository (default: the only one in the config)')
  .option('--pr <number...>', 'only these pull requests (default: the newest that close an issue)')
  .option('--max-cases <count>', 'number of pull requests (default: 10)')
  .option('--max-cost-usd <amount>', 'start no more replays once this amount has been spent')
  .option('--ablate <items>', 'repeat each replay once per listed item, without that item, such as hunk,ci')
  .option('--dir <directory>', 'where to keep the results (default: eval in the data directory)')
  .addHelpText(
    'after',
    `
Gives your agent the issue of a merged pull request and the repository as it was before, and compares the result with
the merged change. If people reviewed the pull request, the agent also answers their first comments and reviews the
same commit. Nothing is pushed or posted. Each replay uses your agent and costs as much as a turn.

Progress goes to standard error. Each result is stored: if you stop the command, the next run continues. Exits with 1
if it stopped before the end. The items for --ablate (each adds a row to the output):
  hunk     the diff above each line comment
  ci       the results and logs of checks
  linked   the issues and pull requests that the issue or a comment mentions
  rules    the rules of the repository
  verify   the second agent that verifies blocking findings
  images   the images and other files that people uploaded
${examples('eval --max-cases 5 --max-cost-usd 10', 'eval --pr 12 31 --ablate hunk,rules', 'eval --json')}`,
  )
  .action(run(async () => (await import('./commands/eval.js')).evaluate));

addCommand(program, 'adopt', 'start over in a repository whose signing secret was lost or replaced')
  .option('--repo <owner/name>', 'the repository')
  .option('--dry-run', 'show what would happen without changing anything')
  .option('--yes', 'skip the confirmation')
  .addHelpText(
    'after',
    `
Stop MergeXO first. This command ends the runs of the repository and marks every earlier comment as handled. MergeXO
then acts only on new labels and comments. If there is no secret, the command creates one. If you can
restore the old secret, do that instead, so that no work is lost.
${examples('adopt --repo ada/engine --dry-run', 'adopt --repo ada/engine')}`,
  )
  .action(run(async () => (await import('./commands/adopt.js')).adopt));

const blocked = program
  .command('feedback')
  .description('manage blocked work')
  .command('blocked')
  .description('manage pull requests and issues that need an operator');

addCommand(blocked, 'list', 'list blocked pull requests and issues, each with the reason and the time')
  .option('--repo <owner/name>', 'only this repository')
  .addHelpText('after', examples('feedback blocked list', 'feedback blocked list --json'))
  .action(run(async () => (await import('./commands/blocked-list.js')).listBlocked));

addCommand(blocked, 'reset', 'unblock pull requests and issues, or start a scheduled retry now')
  .option('--pr <number...>', 'numbers of pull requests')
  .option('--issue <number...>', 'numbers of issues, with or without a pull request')
  .option('--all', 'all blocked work and all scheduled retries (asks first)')
  .option('--repo <owner/name>', 'only this repository')
  .option('--head-sha <sha>', 'accept this commit as the new head of the branch (with exactly one --pr)')
  .option(...REASON)
  .option('--dry-run', 'show what would happen without changing anything')
  .option('--yes', 'skip the confirmation')
  .addHelpText(
    'after',
    `
Unblocks all items that you name. If one of them cannot be unblocked, the command changes nothing.
After the reset, MergeXO replies to the unanswered comments. A scheduled retry starts
immediately, unless the agent's provider reports a usage limit. Without --head-sha, the accepted head does not change.

If a poller is running, it applies the reset. The request expires after 30 seconds.
${examples(
  'feedback blocked reset --pr 7',
  'feedback blocked reset --issue 42',
  'feedback blocked reset --pr 7 --head-sha 0123456789abcdef0123456789abcdef01234567',
  'feedback blocked reset --all --dry-run',
  'feedback blocked reset --all --repo ada/engine --yes',
)}`,
  )
  .action(run(async () => (await import('./commands/blocked-reset.js')).resetBlocked));

addOperatorCommands(program);
addDataCommands(program);

program
  .command('demo')
  .description('run the whole workflow against a local stand-in for GitHub, without credentials')
  .option('--no-serve', 'exit when the scripted part ends')
  .option('--fast', 'make the scripted agent respond faster')
  .option('--step-timeout <seconds>', 'time limit for each step (default: 60)')
  .option('--json', 'print one JSON object per line')
  .action(async (options: DemoOptions) => {
    const { demo } = await import('./commands/demo.js');
    await demo(options);
  });

try {
  await program.parseAsync();
} catch (error) {
  await reportError(error);
}
setTimeout(() => process.exit(), LINGER_MS).unref();
