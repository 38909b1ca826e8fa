import { readSettings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { listStartWords } from '@mergexo/core/flows';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';

export type AdoptOptions = { repo?: string; dryRun?: boolean; yes?: boolean };

type Retired = {
  repo: string;
  /** `missing`: adopt creates a secret. `foreign`: adopt accepts the secret, which does not match the database. */
  secret: 'missing' | 'foreign' | 'known';
  runs: number;
  pulls: number[];
  turns: number;
  comments: number;
};

/** Starts over in a repository whose signing secret is lost: ends earlier runs and marks earlier comments as handled. */
export async function adopt(context: Context, { repo, dryRun, yes }: AdoptOptions): Promise<void> {
  if (repo === undefined) throw new UsageError('Add --repo owner/name.');
  const { configPath } = readSettings(context);
  const ask = (...args: string[]) =>
    askPoller<Retired>('adopt', { configPath, env: context.env, args: ['--repo', repo, ...args] });
  const preview = await ask('--preview');
  if (dryRun) {
    context.print({ ok: true, dry_run: true, ...preview }, () => [
      ...render(preview, 'would'),
      'Nothing was changed.',
    ]);
    return;
  }
  if (!yes && !(await confirm(context, preview))) {
    context.print({ ok: true, adopted: false }, () => ['Nothing was changed.']);
    return;
  }
  const done = await ask();
  context.print({ ok: true, adopted: true, ...done }, () => [
    ...render(done, 'did'),
    `Start MergeXO again. To start work on an issue, add its label again or comment ${listStartCommands()}.`,
  ]);
}

function listStartCommands(): string {
  return listStartWords()
    .map((word) => `\`/mergexo ${word}\``)
    .join(' or ');
}

async function confirm(context: Context, preview: Retired): Promise<boolean> {
  if (context.confirm === undefined)
    throw new UsageError(
      'This command needs a confirmation, but there is no terminal. Add --yes to confirm. Nothing was changed.',
    );
  return context.confirm(`${render(preview, 'would').join('\n')}\nStart over in ${preview.repo}?`);
}

function render({ repo, secret, runs, pulls, turns, comments }: Retired, tense: 'would' | 'did'): string[] {
  const will = tense === 'would';
  const numbers = pulls.map((number) => `#${number}`).join(', ');
  return [
    `${repo}: ${will ? 'would end' : 'ended'} ${count(runs, 'run')} and ${count(turns, 'turn')}, and ` +
      `${will ? 'mark' : 'marked'} ${count(comments, 'unanswered comment')} as handled.`,
    ...(pulls.length === 0
      ? []
      : [`MergeXO no longer works on these pull requests. Close or merge them yourself: ${numbers}.`]),
    ...(secret === 'missing' ? [`${will ? 'Would create' : 'Created'} a new signing secret.`] : []),
    ...(secret === 'foreign' ? [`${will ? 'Would accept' : 'Accepted'} the current signing secret.`] : []),
  ];
}

function count(number: number, thing: string): string {
  return number === 1 ? `1 ${thing}` : `${number} ${thing}s`;
}
