#!/usr/bin/env node
/** Carries out an operator's request while the poller is stopped. Reads it from standard input and prints the answer. */
import { existsSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { readSettings, type Settings } from '@mergexo/config';
import { explainError, Failure, MERGEXO_CLI, silentLog } from '@mergexo/core/basics';
import { type LedgerAnswer, LedgerMessage, type OperatorMessage } from '@mergexo/core/ledger';
import { createState, holdLock, openDatabaseReadOnly, openState } from '@mergexo/state';
import { z } from 'zod';
import { previewReset, resetBlocked } from '../commands/reset-blocked.js';
import { steerWork } from '../commands/steer-work.js';
import { createAgentsOf } from '../lifecycle/agent-limits.js';

const Order = z.strictObject({ configPath: z.string(), preview: z.boolean(), message: LedgerMessage });

const HELD_PAUSE_MS = 500;

try {
  const { configPath, preview, message } = Order.parse(JSON.parse(await text(process.stdin)));
  if (message.kind !== 'reset' && message.kind !== 'steer')
    throw new Failure('invalid-data', `Cannot handle the message ${message.kind}: it is not an operator's.`);
  const settings = readSettings({ configPath, env: process.env, homeDir: homedir() });
  const answer = answerOrder(settings, message, preview);
  process.stdout.write(JSON.stringify(answer));
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(problem.message);
  process.exitCode = 1;
}

function answerOrder(settings: Settings, request: OperatorMessage, preview: boolean): LedgerAnswer {
  const { paths, config } = settings;
  // Opening a missing file would create an empty database and hide a wrong path.
  if (!existsSync(paths.database))
    throw new Failure('not-found', `${paths.database} is missing. Run \`${MERGEXO_CLI} init\`.`);
  if (preview) {
    if (request.kind !== 'reset') throw new Failure('invalid-data', 'Only a reset has a preview.');
    const reading = createState(openDatabaseReadOnly(paths.database));
    try {
      const agentsOf = createAgentsOf(reading, config.repos);
      return previewReset({ state: reading, now: Date.now, agentsOf }, request);
    } finally {
      reading.close();
    }
  }
  return doUnderLock(settings, request);
}

function doUnderLock({ paths, redact, config }: Settings, request: OperatorMessage): LedgerAnswer {
  const lock = tryLock(paths.lock);
  if ('kind' in lock) return lock;
  try {
    const state = openState(paths.database, redact);
    try {
      const tools = { state, now: () => Date.now(), log: silentLog };
      if (request.kind === 'steer') return steerWork(tools, request);
      return resetBlocked({ ...tools, agentsOf: createAgentsOf(state, config.repos) }, request);
    } finally {
      state.close();
    }
  } finally {
    lock.release();
  }
}

function tryLock(path: string): ReturnType<typeof holdLock> | Extract<LedgerAnswer, { kind: 'retry-later' }> {
  const startedAt = new Date().toISOString();
  const purpose = "an operator's command";
  try {
    return holdLock(path, { pid: process.pid, host: hostname(), startedAt, purpose });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    return { kind: 'retry-later', delayMs: HELD_PAUSE_MS, reason: error.message };
  }
}
