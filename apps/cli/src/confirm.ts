import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/** Only a plain yes is one; the end of the input is a no. */
export async function confirm(
  question: string,
  { input, output }: { input: Readable; output: Writable },
): Promise<boolean> {
  const line = createInterface({ input, output });
  const end = new AbortController();
  line.once('close', () => end.abort());
  try {
    const answer = await line.question(`${question} [y/N] `, { signal: end.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (end.signal.aborted) return false;
    throw error;
  } finally {
    line.close();
  }
}
