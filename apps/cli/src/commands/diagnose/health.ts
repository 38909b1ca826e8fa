import { statSync } from 'node:fs';
import { readSettings, type Settings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { dashboardUrlOf, isMergexoDashboard } from '../../checks/check-dashboard.js';
import type { Context } from '../../context.js';
import { toLine } from '../../printable.js';
import { ROLES, type Role, readRole } from '../../role.js';
import type { Verdict } from './verdict.js';

export type HealthOptions = { role?: string };

/** Six missed heartbeats. */
const MAX_AGE_MS = 30_000;

// The check of the poller is imported on demand, because SQLite doubles the time of this frequent command.
const CHECKS: Readonly<Record<Role, (context: Context) => Verdict | Promise<Verdict>>> = {
  poller: async (context) => (await import('./judge-poller.js')).judgePoller(context),
  worker: (context) => judgeWorker(readSettings(context)),
  dashboard: (context) => judgeDashboard(readSettings(context)),
};

/** Checks one running program, for the health checks of containers. Returns false if the program cannot do its work. */
export async function health(context: Context, options: HealthOptions): Promise<boolean> {
  const role = readRole(options.role, context.env);
  if (role === undefined) throw new UsageError(`Add --role ${ROLES.join(', ')}, or set MERGEXO_ROLE.`);
  const verdict = await CHECKS[role](context);
  context.print({ role, ...verdict }, () => [toLine(verdict.detail, 1_000)]);
  return verdict.ok;
}

function judgeWorker({ paths }: Settings): Verdict {
  const at = statSync(paths.workerHealth, { throwIfNoEntry: false })?.mtimeMs;
  if (at === undefined)
    return { ok: false, detail: 'The poller has not acknowledged a heartbeat of this worker' };
  // A time in the future counts as silence too: the clock was set back.
  const age = Math.abs(Date.now() - at);
  const detail = `The poller acknowledged a heartbeat of this worker ${Math.round(age / 1_000)} s ago`;
  return { ok: age <= MAX_AGE_MS, detail };
}

async function judgeDashboard({ config }: Settings): Promise<Verdict> {
  const { host, port } = config.dashboard;
  const url = dashboardUrlOf(host, port);
  const ok = await isMergexoDashboard(host, port);
  return { ok, detail: ok ? `The dashboard responds at ${url}` : `No dashboard responds at ${url}` };
}
