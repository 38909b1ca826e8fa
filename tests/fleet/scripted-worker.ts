/** A worker process. Its agent follows the script in the turn's context, and its remote is an append-only file. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSecret } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { createLog } from '@mergexo/log';
import type { RedisTarget } from '@mergexo/queue';
import { aPlan, aPlanWithoutCommit } from '@mergexo/testkit';
import { runWorker } from '@mergexo/worker';

type Order = { target: RedisTarget; dir: string; slots: number; drainGraceMs: number };
type Script = { holdMs?: number[]; silentPlan?: boolean; failures?: number };

const NO_USAGE = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

const order: Order = JSON.parse(process.argv[2] ?? '{}');
const { log } = createLog({ app: 'worker', level: 'debug' });
const note = (file: string, facts: object): void =>
  appendFileSync(join(order.dir, file), `${JSON.stringify({ pid: process.pid, ...facts })}\n`);

const sender = computeSender(readSecret(join(order.dir, 'secret'), undefined).current, 'scripted');

const worker = await runWorker({
  ...order,
  sender: () => sender,
  spoolRoot: join(order.dir, 'workers'),
  log,
  async makePlan({ turnKey, attempt, context }, signal) {
    const script: Script = JSON.parse(JSON.stringify(context));
    note('agent-calls.jsonl', { turnKey, attempt });
    try {
      await sleep(script.holdMs?.[attempt - 1] ?? 0, undefined, { signal });
    } catch {
      return {
        kind: 'failed',
        cause: 'infrastructure',
        reason: 'the agent was stopped',
        retryAfterMs: null,
        usage: NO_USAGE,
      };
    }
    if (attempt <= (script.failures ?? 0)) {
      return {
        kind: 'failed',
        cause: 'agent',
        reason: 'scripted failure',
        retryAfterMs: null,
        usage: NO_USAGE,
      };
    }
    const name = `${turnKey}-${attempt}`;
    return { kind: 'planned', parcel: script.silentPlan ? aPlanWithoutCommit(name) : aPlan(name) };
  },
  async pushPlan({ turnKey, attempt }, { plan }) {
    const file = join(order.dir, 'remote.jsonl');
    const sha = plan.commit?.sha ?? '';
    if (existsSync(file) && readFileSync(file, 'utf8').includes(sha)) return { kind: 'pushed', reason: null };
    note('remote.jsonl', { turnKey, attempt, sha });
    return { kind: 'pushed', reason: null };
  },
});

process.on('SIGTERM', () => void worker.drain().then(() => process.exit(0)));
