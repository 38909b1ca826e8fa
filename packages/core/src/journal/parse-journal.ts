import { z } from 'zod';
import { Failure } from '../basics/failure.js';
import { toPrintable } from '../text/printable.js';
import { JOURNAL_VERSION, type Journal, JournalEntry, JournalHeader } from './journal.js';

const MAX_LINE = 1_000_000;
const MAX_ENTRIES = 1_000_000;
const Version = z.object({ journal: z.literal('mergexo'), version: z.int() });

/** Parses a journal, one JSON value per line. A journal may come from anybody, so every line is checked. */
export function parseJournal(text: string, path: string): Journal {
  const [first = '', ...lines] = text.replace(/\n$/, '').split('\n');
  const known = Version.safeParse(parseLine(first, { path, line: 1 }));
  if (!known.success)
    throw invalid(path, 1, 'the file is not a journal. Create one with `mergexo journal export`');
  if (known.data.version !== JOURNAL_VERSION)
    throw invalid(
      path,
      1,
      `the journal has version ${known.data.version}, and this MergeXO reads version ${JOURNAL_VERSION}. Use the MergeXO that wrote the journal`,
    );
  if (lines.length > MAX_ENTRIES)
    throw invalid(path, MAX_ENTRIES + 2, `a journal may contain at most ${MAX_ENTRIES} entries`);
  const header = check(JournalHeader, parseLine(first, { path, line: 1 }), { path, line: 1 });
  const entries = lines.map((line, index) => {
    const place = { path, line: index + 2 };
    return check(JournalEntry, parseLine(line, place), place);
  });
  const late = entries.findIndex((entry, index) => entry.at < (entries[index - 1]?.at ?? 0));
  if (late >= 0) throw invalid(path, late + 2, 'the entry is older than the one before it');
  return { header, entries };
}

type Place = { path: string; line: number };

function parseLine(text: string, { path, line }: Place): unknown {
  if (text.length > MAX_LINE) throw invalid(path, line, `the line has more than ${MAX_LINE} characters`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(path, line, 'the line is not valid JSON');
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, { path, line }: Place): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const problem = toPrintable(`${issue?.message}`.slice(0, 200));
  throw invalid(path, line, field === '' ? problem : `\`${toPrintable(field.slice(0, 80))}\`: ${problem}`);
}

function invalid(path: string, line: number, problem: string): Failure {
  return new Failure('invalid-data', `${path} line ${line}: ${problem}.`);
}
