import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '@mergexo/core/basics';
import { buildJournal, type Journal, renderJournal } from '@mergexo/core/journal';
import { listJournalRows } from '@mergexo/state';
import type { Context } from '../../context.js';
import { findRepositories, readFacts } from '../../read-state.js';
import { toStamp } from './backup-directory.js';

export type JournalExportOptions = {
  withTexts?: boolean;
  withLogins?: boolean;
  out?: string;
  repo?: string;
};

/** Writes a journal of what MergeXO read, decided and posted. The file is new and contains no secrets. */
export function exportJournal(context: Context, options: JournalExportOptions): void {
  const { withTexts = false, withLogins = false } = options;
  const path = resolve(options.out ?? `mergexo-journal-${toStamp(Date.now())}.jsonl`);
  const journal = readFacts(context, (facts, { config, redact }) => {
    const [repository] = options.repo === undefined ? [] : findRepositories(facts.state, options.repo);
    const rows = listJournalRows(facts, { repoId: repository?.id });
    // No entry names a repository or branch, but a text may contain the owner's login.
    const logins = config.repos.flatMap(({ owner, allowedUsers, operatorLogins }) => [
      owner,
      ...allowedUsers,
      ...operatorLogins,
    ]);
    return buildJournal(rows, { now: Date.now(), withTexts, withLogins, logins, redact });
  });
  writeNew(path, renderJournal(journal));
  const summary = summarise(journal);
  context.print({ ok: true, file: path, texts: withTexts, logins: withLogins, ...summary }, () => [
    `Journal with ${summary.entries} entries written to ${path}.`,
    withTexts || withLogins
      ? `It contains ${[...(withTexts ? ['texts of issues and comments'] : []), ...(withLogins ? ['logins'] : [])].join(' and ')}. Read it before you share it.`
      : 'It contains no texts, logins, repository names, branches or commits.',
  ]);
}

function summarise({ entries }: Journal): { entries: number; from: string | null; to: string | null } {
  const toTime = (at: number | undefined): string | null =>
    at === undefined ? null : new Date(at).toISOString();
  return { entries: entries.length, from: toTime(entries[0]?.at), to: toTime(entries.at(-1)?.at) };
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new UsageError(`${path} exists already. Choose another file with --out.`);
    throw error;
  }
}
