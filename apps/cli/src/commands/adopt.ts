import { readSettings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { listStartWords } from '@mergexo/core/flows';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';

export type AdoptOptions = { repo?: string; dryRun?: boolean; yes?: boolean };

type Retired = {
  repo: string;
  /** What was found: a new one is made where it is missing, and a foreign one is accepted. */
  secret: 'missing' | 'foreign' | 'known';
  runs: number;
  pulls: number[];
  turns: number;
  comments: number;
};

/** Starts clean in a repository whose signing secret is lost: earlier runs end, and earlier comments count as handled. */
export async function adopt(context: Context, { repo, dryRun, yes }: AdoptOptions): Promise<void> {
  if (repo === undefined) throw new UsageError('Name the repository: --repo owner/name.');
  const { configPath } = readSettings(context);
  const ask = async (...args: string[]): Promise<Retired> =>
    JSON.parse(await askPoller('bin/adopt', configPath, context.env, ['--repo', repo, ...args]));
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
    `Start MergeXO again. To start on an issue, add its label again or comment ${listStartCommands()}.`,
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
      'Nobody is at the terminal to confirm. Add --yes if you mean it. Nothing was changed.',
    );
  return context.confirm(`${render(preview, 'would').join('\n')}\nStart clean in ${preview.repo}?`);
}

function render({ repo, secret, runs, pulls, turns, comments }: Retired, tense: 'would' | 'did'): string[] {
  const will = tense === 'would';
  const numbers = pulls.map((number) => `#${number}`).join(', ');
  return [
    `${repo}: ${will ? 'retires' : 'retired'} ${count(runs, 'run')} and ${count(turns, 'turn')}; ` +
      `${count(comments, 'unanswered comment')} ${will ? 'count' : 'counted'} as handled.`,
    ...(pulls.length === 0 ? [] : [`People close or merge these pull requests: ${numbers}.`]),
    ...(secret === 'missing' ? [`A new signing secret ${will ? 'is' : 'was'} created.`] : []),
    ...(secret === 'foreign' ? [`The present signing secret ${will ? 'is' : 'was'} accepted.`] : []),
  ];
}

function count(number: number, thing: string): string {
  return number === 1 ? `1 ${thing}` : `${number} ${thing}s`;
}
