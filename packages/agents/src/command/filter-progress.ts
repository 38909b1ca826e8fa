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

/** The prefix of every progress line, ignoring spaces. */
const START = '{"progress"';
/** Longer lines are not progress, and go to the log. */
const MAX_LINE = 64 * 1024;

/**
 * Takes the lines of the form `{"progress": {"kind": …, "text": …}}` out of a program's standard error. Buffers an
 * incomplete line that may turn out to be a progress line.
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
