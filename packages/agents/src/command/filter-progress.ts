import { StringDecoder } from 'node:string_decoder';
import { StepKind } from '@mergexo/core/agent';
import { z } from 'zod';
import { parseJson } from '../output/json.js';
import type { AgentUsage } from '../turn/agent.js';
import type { LogFilter } from '../turn/run-agent-process.js';
import type { ShowProgress } from '../turn/show-progress.js';
import { readUsage } from './read-usage.js';

/** An unknown kind is shown as `say`. */
const Step = z.object({
  progress: z.object({ kind: StepKind.exclude(['skip']).catch('say'), text: z.string() }),
});
const Progress = z.object({ progress: z.unknown() });

/** The prefix of every progress line, ignoring spaces. */
const START = '{"progress"';
/** Longer lines are not progress, and go to the log. */
const MAX_LINE = 64 * 1024;

/**
 * Takes the lines of the form `{"progress": {"kind": …, "text": …}}` out of a program's standard error. Buffers an
 * incomplete line that may turn out to be a progress line. `usage` instead of `text` reports what the run has used so far.
 */
export function filterProgress(show: ShowProgress, used: (usage: AgentUsage) => void): LogFilter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (line: string): string => {
    if (!isPossible(line)) return line;
    const value = parseJson(line);
    const { data } = Step.safeParse(value);
    const usage = data === undefined ? readUsage(Progress.safeParse(value).data?.progress) : undefined;
    if (data !== undefined) show(data.progress.kind, data.progress.text);
    if (usage !== undefined) used(usage);
    return data === undefined && usage === undefined ? line : '';
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
