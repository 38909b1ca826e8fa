import fs from 'node:fs';
import { z } from 'zod';

const Entry = z.tuple([z.string(), z.number(), z.unknown()]);
/** `[table, id, row]`; a null row is a removal. */
export type Entry = z.infer<typeof Entry>;
const Line = z.array(Entry);

export type Journal = { append(entry: Entry): void; flush(): void; close(): void };

/**
 * One JSON line per turn of the event loop: what belongs together is written together, so a crash leaves
 * either all of it or, as a torn last line, none.
 */
export function openJournal(file: string): Journal {
  const fd = fs.openSync(file, 'a', 0o600);
  let pending: Entry[] = [];
  let open = true;

  function flush(): void {
    if (pending.length === 0 || !open) return;
    const line = `${JSON.stringify(pending)}\n`;
    pending = [];
    fs.writeSync(fd, line);
  }

  return {
    append: (entry) => {
      if (pending.length === 0) queueMicrotask(flush);
      pending.push(entry);
    },
    flush,
    close: () => {
      if (!open) return;
      flush();
      open = false;
      fs.closeSync(fd);
    },
  };
}

/** A crash can tear the last line, and what it said was never acknowledged; any other damage is not ours to guess at. */
export function readJournal(file: string): Entry[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const parsed = parseLine(line);
    if (parsed) return parsed;
    if (index === lines.length - 1) return [];
    throw new Error(`${file} is damaged in line ${index + 1}: repair it or remove it to start afresh`);
  });
}

/** Replaces the journal by the shortest one with the same meaning, in one atomic step. */
export function rewriteJournal(file: string, entries: Entry[]): void {
  const temporary = `${file}.new`;
  fs.writeFileSync(temporary, entries.map((entry) => `${JSON.stringify([entry])}\n`).join(''), {
    mode: 0o600,
  });
  fs.renameSync(temporary, file);
}

function parseLine(line: string): Entry[] | undefined {
  if (line === '') return undefined;
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
