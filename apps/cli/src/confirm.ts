import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

type Terminal = { input: Readable; output: Writable };

/** Only `y` and `yes` confirm. The end of the input counts as no. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N]`, terminal));
}

/** Reads one trimmed line. The end of the input counts as an empty line. */
export async function ask(question: string, { input, output }: Terminal): Promise<string> {
  const line = createInterface({ input, output });
  const end = new AbortController();
  line.once('close', () => end.abort());
  try {
    return (await line.question(`${question} `, { signal: end.signal })).trim();
  } catch (error) {
    if (end.signal.aborted) return '';
    throw error;
  } finally {
    line.close();
  }
}
