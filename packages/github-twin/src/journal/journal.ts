import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { HistoryEntry } from '../history/history.js';
import type { Change } from '../store/table.js';

/** Tokens have their own notes, because the history must not contain secrets. */
export type Note = { atMs: number; lastId: number; entry?: HistoryEntry; token?: Change };

export type Journal = ReturnType<typeof openJournal>;

/**
 * An append-only file of `HASH NOTES` lines. Each hash also covers the previous hash, so a changed, missing or swapped
 * line is detected. One line contains all notes of one synchronous step, so a crash never splits them.
 */
export function openJournal(file: string) {
  const { notes, bytes, ...read } = readJournal(file);
  let { hash } = read;
  let pending: Note[] = [];
  let open = true;
  const fd = fs.openSync(file, 'a', 0o600);
  fs.ftruncateSync(fd, bytes);
  const flush = (): void => {
    if (pending.length === 0 || !open) return;
    const json = JSON.stringify(pending);
    pending = [];
    hash = chain(hash, json);
    fs.appendFileSync(fd, `${hash} ${json}\n`);
  };
  return {
    /** The notes that the file contained when it was opened. */
    notes,
    append: (note: Note): void => {
      if (pending.length === 0) queueMicrotask(flush);
      pending.push(note);
    },
    flush,
    close: (): void => {
      flush();
      if (open) fs.closeSync(fd);
      open = false;
    },
  };
}

/** Reads the journal. Drops an incomplete last line, because the twin crashed before it responded. */
function readJournal(file: string): { notes: Note[]; hash: string; bytes: number } {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const notes: Note[] = [];
  let hash = '';
  for (const [index, line] of whole.split('\n').slice(0, -1).entries()) {
    const json = line.slice(line.indexOf(' ') + 1);
    hash = chain(hash, json);
    if (line !== `${hash} ${json}`)
      throw new Error(
        `${file} is damaged in line ${index + 1}. Restore the directory from a copy, or remove it to start again.`,
      );
    notes.push(...JSON.parse(json));
  }
  return { notes, hash, bytes: Buffer.byteLength(whole) };
}

const chain = (previous: string, json: string): string =>
  createHash('sha256').update(previous).update(json).digest('hex').slice(0, 16);
