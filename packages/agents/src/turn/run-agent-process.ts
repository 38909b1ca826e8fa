import { StringDecoder } from 'node:string_decoder';
import type { Redact } from '@mergexo/core/text';
import { showTarget } from '../network/host-rule.js';
import { collectQuote, quoteEnd } from '../output/printable.js';
import { type ConfinedJob, type Host, runConfined } from '../run/run-confined.js';
import type { ProcessEnd } from '../run/run-process.js';
import type { TurnContext } from './agent.js';

const MAX_LOG_CHARACTERS = 2_000;

type AgentProcess = Omit<
  ConfinedJob,
  'cwd' | 'home' | 'stderr' | 'signal' | 'network' | 'onStart' | 'onRefusedHost' | 'writablePaths'
> & {
  redact: Redact;
  /** Takes lines out of the standard error that are not part of the log. */
  filter?: LogFilter;
};

export type LogFilter = {
  /** Returns the text of a chunk that belongs to the log. */
  read(chunk: Buffer): string;
  /** Returns the rest after the last chunk. */
  end(): string;
};

/** Runs an agent's program for one turn, and reports events. `log` is the end of the program's standard error. */
export async function runAgentProcess(
  host: Host,
  { cwd, home, commandHome, signal, readOnlyPaths = [], handouts = [], onEvent }: TurnContext,
  { redact, filter = decodeAll(), ...job }: AgentProcess,
): Promise<{ end: ProcessEnd; log: string }> {
  const log = collectQuote(MAX_LOG_CHARACTERS, redact);
  const write = (text: string): boolean => {
    if (text === '') return true;
    onEvent?.({ kind: 'log', text: quoteEnd(text, MAX_LOG_CHARACTERS, redact) });
    return log.sink(Buffer.from(text));
  };
  const end = await runConfined(host, {
    ...job,
    cwd,
    home,
    stderr: (chunk) => write(filter.read(chunk)),
    signal,
    network: host.network ?? 'all',
    onRefusedHost: (target) => onEvent?.({ kind: 'refused-host', host: showTarget(redact(target)) }),
    readOnlyPaths: [...(job.readOnlyPaths ?? []), ...readOnlyPaths, ...handouts],
    writablePaths: commandHome === undefined ? [] : [commandHome],
    onStart: (pid) => onEvent?.({ kind: 'started', pid }),
  });
  write(filter.end());
  return { end, log: log.quote() };
}

/** A decoder is needed, because a character may be split across two chunks. */
function decodeAll(): LogFilter {
  const decoder = new StringDecoder('utf8');
  return { read: (chunk) => decoder.write(chunk), end: () => decoder.end() };
}
