import type { Context } from '../context.js';
import { toLine } from '../printable.js';

/** Prints one event as one line: time, program and message, or a JSON object if --json is set. */
export type Say = (who: string, facts: { event: string; [fact: string]: unknown }, words: string) => void;

export function createSay(context: Pick<Context, 'printLine'>, now: () => Date): Say {
  return (who, facts, words) => {
    const time = now();
    context.printLine(
      { time: time.toISOString(), app: who, ...facts, words: toLine(words, 1_000) },
      () => `${toClock(time)}  ${who.padEnd(9)}  ${toLine(words, 1_000)}`,
    );
  };
}

function toClock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
