import { StringDecoder } from 'node:string_decoder';

/** The rest of a longer line is dropped. */
const MAX_LINE = 4_000;

/** Passes the beginning of each line of a program's output to `onLine`, as soon as the line is complete. */
export function splitLines(onLine: (line: string) => void): { read(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8');
  let line = '';
  const end = (): void => {
    if (line.trim() !== '') onLine(line);
    line = '';
  };
  return {
    read(chunk) {
      for (const [index, piece] of decoder.write(chunk).split('\n').entries()) {
        if (index > 0) end();
        line = `${line}${piece}`.slice(0, MAX_LINE);
      }
    },
    end,
  };
}
