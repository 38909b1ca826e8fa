import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

type Terminal = { input: Readable; output: Writable };

/** Asks for confirmation. Only `y` and `yes` confirm. The end of the input counts as no. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N]`, terminal));
}

/** Reads one trimmed line. The end of the input counts as an empty line. */
export async function ask(question: string, { input, output }: Terminal): Promise<string> {
  const terminal = createInterface({ input, output });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  try {
    return (await terminal.question(`${question} `, { signal: closed.signal })).trim();
  } catch (error) {
    if (closed.signal.aborted) return '';
    throw error;
  } finally {
    terminal.close();
  }
}
