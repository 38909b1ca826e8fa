import type { Command } from 'commander';
import { addCommand, type CommonOptions, contextOf, examples, run } from './command-line.js';
import type { RestoreOptions } from './commands/data/restore.js';
import type { LogsOptions } from './commands/logs/logs.js';
import type { OpenOptions } from './commands/open.js';

/** Adds the commands that read or copy an installation's data. */
export function addDataCommands(program: Command): void {
  addCommand(program, 'cost', 'show the tokens, dollars and minutes that agents used')
    .option('--by <group>', 'issue, day, repo or phase (default: issue)')
    .option('--days <count>', 'number of days in UTC, including today (default: 30)')
    .option('--repo <owner/name>', 'only this repository')
    .addHelpText(
      'after',
      `
The cost is known for agents that report it, such as Claude Code, and for models with a price in [prices].
A phase is a kind of turn.
${examples('cost', 'cost --by day --days 7', 'cost --by phase --repo ada/engine --json')}`,
    )
    .action(run(async () => (await import('./commands/data/cost.js')).cost));

  addCommand(program, 'open [number]', 'open the dashboard, or its page for an issue or pull request')
    .option(
      '--repo <owner/name>',
      'the repository of the issue or pull request (default: the only one in the config)',
    )
    .addHelpText('after', examples('open', 'open 42 --repo ada/engine'))
    .action(async (number: string | undefined, options: CommonOptions & OpenOptions) => {
      const { open } = await import('./commands/open.js');
      if (!(await open(await contextOf(options), number, options))) process.exitCode = 1;
    });

  addLogsCommand(program);

  const config = program.command('config').description('work with mergexo.toml');
  addCommand(config, 'check', 'check the config file and list every problem')
    .addHelpText('after', examples('config check', 'config check --config ~/fleet.toml --json'))
    .action(run(async () => (await import('./commands/diagnose/config-check.js')).checkConfigFile));

  addChannelCommands(program);
  addBackupCommands(program);
  addJournalCommands(program);
  addUninstallCommand(program);

  program
    .command('completion <shell>')
    .description('print a completion script for bash, zsh or fish')
    .addHelpText(
      'after',
      `
Completes the command \`mergexo\` of the installed package.

Examples:
  mergexo completion bash > ~/.local/share/bash-completion/completions/mergexo
  mergexo completion zsh >> ~/.zshrc
  mergexo completion fish > ~/.config/fish/completions/mergexo.fish`,
    )
    .action(async (shell: string) => {
      const { renderCompletion } = await import('./commands/completion.js');
      process.stdout.write(renderCompletion(program, shell));
    });
}

function addChannelCommands(program: Command): void {
  const notify = program.command('notify').description('test the notification channels in [notify]');
  addCommand(notify, 'test', 'send a test message to every configured channel')
    .addHelpText(
      'after',
      `\nExits with 1 if a channel fails or none is configured.\n${examples('notify test')}`,
    )
    .action(run(async () => (await import('./commands/channels/notify-test.js')).testNotifications));

  const webhook = program.command('webhook').description('test the webhook in [webhook]');
  addCommand(webhook, 'test', 'send a signed test delivery to the poller')
    .option('--url <url>', 'send it to this address, to test the path through your proxy or tunnel')
    .addHelpText(
      'after',
      `\nReads the secret from MERGEXO_WEBHOOK_SECRET. Exits with 1 if the delivery is not accepted.\n${examples('webhook test', 'webhook test --url https://hooks.example.com/webhook')}`,
    )
    .action(run(async () => (await import('./commands/channels/webhook-test.js')).testWebhook));
}

function addLogsCommand(program: Command): void {
  addCommand(program, 'logs [subject]', 'show what agents read, edit, run and say; with -f, as it happens')
    .option('-f, --follow', 'keep printing new steps until you press Ctrl-C')
    .option(
      '--since <time>',
      'show all stored steps since this time, or from the last 90s, 10m, 2h or 3d (default: the last 200)',
    )
    .option('--repo <owner/name>', 'the repository of the issue or pull request')
    .addHelpText(
      'after',
      `
The subject is the number of an issue or pull request, or a turn key. Without a subject, shows all turns. Includes
the turns of workers on other hosts. Run this command on the poller's host. With --json, each step is one line.
${examples('logs -f', 'logs 42 -f', 'logs 3f2a91c0 --since 1h', 'logs ada/engine#42 --json')}`,
    )
    .action(async (subject: string | undefined, options: CommonOptions & LogsOptions) => {
      const { logs } = await import('./commands/logs/logs.js');
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
      // The reader of a pipe, such as `head`, may end first.
      process.stdout.once('error', () => stop.abort());
      await logs(await contextOf(options), subject, { ...options, stop: stop.signal });
    });
}

function addUninstallCommand(program: Command): void {
  addCommand(program, 'uninstall', 'stop and remove the service, and optionally the data')
    .option('--keep-data', 'keep the data directory (the default)')
    .option('--delete-data', "also delete MergeXO's files in the data directory")
    .option('--dry-run', 'show what would be removed without changing anything')
    .option('--yes', 'skip the confirmation')
    .addHelpText(
      'after',
      `
First lists everything that it will remove, and asks for confirmation. Changes nothing on GitHub and keeps the
config. Back up the signing secret first: without it, MergeXO cannot continue its pull requests.
${examples('uninstall --dry-run', 'uninstall', 'uninstall --delete-data')}`,
    )
    .action(run(async () => (await import('./commands/data/uninstall.js')).uninstall));
}

function addBackupCommands(program: Command): void {
  addCommand(program, 'backup [directory]', 'copy the database, the signing secret and the config')
    .addHelpText(
      'after',
      `
Safe to use while MergeXO is running. Creates the directory, readable by you alone (default: mergexo-backup-<time> in the current
directory).
${examples('backup', 'backup /backups/mergexo-monday')}`,
    )
    .action(async (directory: string | undefined, options: CommonOptions) => {
      const { backup } = await import('./commands/data/backup.js');
      backup(await contextOf(options), directory);
    });

  addCommand(program, 'restore <directory>', 'replace the database and the signing secret with a backup')
    .option('--yes', 'skip the confirmation')
    .addHelpText(
      'after',
      `
Stop MergeXO first. Keeps the replaced files next to the new ones, and does not change the config. MergeXO then reads
the changes since the backup from GitHub, and never replies to a comment twice.
${examples('restore mergexo-backup-20260203-040506-789')}`,
    )
    .action(async (directory: string, options: CommonOptions & RestoreOptions) => {
      const { restore } = await import('./commands/data/restore.js');
      await restore(await contextOf(options), directory, options);
    });
}

function addJournalCommands(program: Command): void {
  const journal = program.command('journal').description('record what MergeXO did, for a bug report');
  addCommand(journal, 'export', 'write a journal of what MergeXO read, decided and posted')
    .option('--out <file>', 'a new file (default: mergexo-journal-<time>.jsonl in the current directory)')
    .option('--repo <owner/name>', 'only this repository')
    .option('--with-texts', 'include the texts of issues, comments and reasons, without secrets')
    .option('--with-logins', 'include logins instead of names such as person-1')
    .addHelpText(
      'after',
      `
Safe to use while MergeXO is running. Each line of the file is a JSON object. By default, the file contains only times, numbers of
issues and pull requests, and MergeXO's own identifiers, such as the kind of a turn. Read the file before you share it.
${examples('journal export', 'journal export --repo ada/engine --out journal.jsonl', 'journal export --with-texts')}`,
    )
    .action(run(async () => (await import('./commands/data/journal-export.js')).exportJournal));
}
