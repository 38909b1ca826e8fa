import { StringDecoder } from 'node:string_decoder';
import { StepKind } from '@mergexo/core/agent';
import { z } from 'zod';
import { parseJson } from '../output/json.js';
import type { LogFilter } from '../turn/run-agent-process.js';
import type { ShowProgress } from '../turn/show-progress.js';

/** An unknown kind is shown as `say`. */
const Line = z.object({
  progress: z.object({ kind: StepKind.exclude(['skip']).catch('say'), text: z.string() }),
});

/** How every line with progress begins, without blanks. */
const START = '{"progress"';
/** Longer lines are not progress, and go to the log. */
const MAX_LINE = 64 * 1024;

/**
 * Takes the lines of the form `{"progress": {"kind": …, "text": …}}` out of a program's standard error. Keeps an
 * unfinished line that may become one.
 */
export function filterProgress(show: ShowProgress): LogFilter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (line: string): string => {
    const { data } = isPossible(line) ? Line.safeParse(parseJson(line)) : { data: undefined };
    if (data === undefined) return line;
    show(data.progress.kind, data.progress.text);
    return '';
  };
  return {
    read(chunk) {
      const lines = `${rest}${decoder.write(chunk)}`.split('\n');
      const last = lines.pop() ?? '';
      rest = isPossible(last) ? last : '';
      return [...lines.map((line) => take(`${line}\n`)), rest === '' ? last : ''].join('');
    },
    end: () => take(rest),
  };
}

function isPossible(line: string): boolean {
  const start = line.trimStart().slice(0, 40).replaceAll(' ', '');
  return line.length <= MAX_LINE && START.startsWith(start.slice(0, START.length)) && start !== '';
}
