#!/usr/bin/env node
/**
 * Replays one turn of a merged pull request for `mergexo eval`. Reads its input from the first line of
 * standard input, and stops when standard input ends. Prints the score as one JSON value.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { explainError, silentLog } from '@mergexo/core/basics';
import { EvalCase, isAblatedItem, REPLAYS } from '@mergexo/core/eval';
import { createRedact, type Redact } from '@mergexo/core/text';
import { z } from 'zod';
import { readWorkerConfig } from '../config.js';
import { createReadUpload } from './read-upload.js';
import { replayCase } from './replay-case.js';

const Order = z.strictObject({
  evalCase: EvalCase,
  replay: z.enum(REPLAYS),
  without: z.string().refine(isAblatedItem).nullable(),
  workDir: z.string().startsWith('/'),
});

/** Redacts the error: the program that starts this one does not know the agent's login. */
let redact: Redact = createRedact([]);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());
try {
  const settings = readWorkerConfig();
  redact = settings.redact;
  const lines = createInterface({ input: process.stdin });
  const [line] = await once(lines, 'line');
  // Without the parent process, nobody would read the score or limit the cost.
  process.stdin.once('end', () => stop.abort());
  const order = Order.parse(JSON.parse(String(line)));
  const report = {
    step: (text: string) => void process.stderr.write(`${text}\n`),
    show: () => {},
    refusedHost: () => {},
    fetchUpload: createReadUpload(order),
  };
  const replayed = await replayCase({ settings, log: silentLog, signal: stop.signal, report }, order);
  process.stdout.write(`${JSON.stringify(replayed)}\n`);
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`${redact(problem.message)}\n`);
  process.exitCode = 1;
}
process.stdin.destroy();
