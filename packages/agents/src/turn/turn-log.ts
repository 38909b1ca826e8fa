import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core/agent';
import { type Redact, redactStrings } from '@mergexo/core/text';
import type { Agent, AgentEvent } from './agent.js';

const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 200;

export type LogTools = { now: () => Date; redact: Redact };

/** Writes each turn's events to a separate file during the turn, so that people can watch the turn. */
export function withTurnLog(agent: Agent, directory: string, tools: LogTools): Agent {
  return {
    ...agent,
    runTurn: async (request, context) => {
      const log = openTurnLog(directory, request, tools);
      try {
        log.write({ kind: 'asked', adapter: agent.name, turn: request.kind });
        const run = await agent.runTurn(request, {
          ...context,
          onEvent: (event) => {
            log.write(event);
            context.onEvent?.(event);
          },
        });
        log.write(
          run.kind === 'failed'
            ? { kind: 'failed', failure: run.failure, text: run.message }
            : { kind: 'answered' },
        );
        return run;
      } finally {
        log.close();
      }
    },
  };
}

type Line = AgentEvent | { kind: string; [fact: string]: string };

type TurnLog = { write(line: Line): void; close(): void };

const SILENT: TurnLog = { write: () => {}, close: () => {} };

/** Writes nothing if the file cannot be opened, because a missing log must not fail the turn. */
function openTurnLog(directory: string, request: AgentRequest, { now, redact }: LogTools): TurnLog {
  let file: number;
  let size: number;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    prune(directory);
    const path = join(directory, `${request.turn_key}-${request.attempt}.jsonl`);
    file = openSync(path, 'a', 0o600);
    size = statSync(path).size;
  } catch {
    return SILENT;
  }
  const append = (line: Line): void => {
    const text = `${JSON.stringify(redactStrings({ at: now().toISOString(), ...line }, redact))}\n`;
    const before = size;
    size += Buffer.byteLength(text);
    if (size <= MAX_BYTES) writeSync(file, text);
    else if (before <= MAX_BYTES) writeSync(file, '{"kind":"cut"}\n');
  };
  return {
    write: (line) => {
      try {
        append(line);
      } catch {
        size = Number.POSITIVE_INFINITY;
      }
    },
    close: () => closeSync(file),
  };
}

/** Removes the oldest logs to make room for one more. */
function prune(directory: string): void {
  const names = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  if (names.length < MAX_FILES) return;
  const found = names.map((name) => {
    const path = join(directory, name);
    return { path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  found.sort((a, b) => b.at - a.at);
  for (const { path } of found.slice(MAX_FILES - 1)) rmSync(path, { force: true });
}
