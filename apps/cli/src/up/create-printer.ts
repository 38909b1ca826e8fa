import type { Context } from '../context.js';
import { toLine } from '../printable.js';

/** Prints one event as one line: time, program and message, or a JSON object if --json is set. */
export type Print = (
  program: string,
  facts: { event: string; [fact: string]: unknown },
  text: string,
) => void;

export function createPrinter(context: Pick<Context, 'printLine'>, now: () => Date): Print {
  return (program, facts, text) => {
    const time = now();
    context.printLine(
      { time: time.toISOString(), app: program, ...facts, text: toLine(text, 1_000) },
      () => `${toClock(time)}  ${program.padEnd(9)}  ${toLine(text, 1_000)}`,
    );
  };
}

function toClock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
