import { once } from 'node:events';
import { createServer } from 'node:net';
import { isLoopbackHost, type Settings } from '@mergexo/config';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

const name = 'dashboard';
const ANSWER_LIMIT_MS = 2_000;

/** Whether the dashboard could start: on a port that is free, or with a password where others can reach it. */
export async function checkDashboard({ config }: Settings, { env }: Context): Promise<Finding[]> {
  const { host, port } = config.dashboard;
  const where = `${host}:${port}`;
  if (!isLoopbackHost(host) && !env['MERGEXO_DASHBOARD_PASSWORD']) {
    const fix = 'Set MERGEXO_DASHBOARD_PASSWORD (12 characters or more), or dashboard.host = "127.0.0.1".';
    return [{ name, status: 'failure', detail: `others can reach ${where}, and there is no password`, fix }];
  }
  const trouble = await tryToListen(host, port);
  if (trouble === undefined) return [{ name, status: 'ok', detail: `${where} is free` }];
  if (await isOurs(host, port)) return [{ name, status: 'ok', detail: `a dashboard runs on ${where}` }];
  const fix =
    'Set another port in [dashboard], or stop the program that uses it. Poller and workers do not need it.';
  return [{ name, status: 'warning', detail: `${where} cannot be used (${trouble})`, fix }];
}

async function tryToListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    server.close();
  }
}

/** While `mergexo up` runs, its own dashboard holds the port. */
async function isOurs(host: string, port: number): Promise<boolean> {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = reachable.includes(':') ? `[${reachable}]` : reachable;
  try {
    const answer = await fetch(`http://${address}:${port}/healthz`, {
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    return answer.ok && (await answer.text()) === 'ok\n';
  } catch {
    return false;
  }
}
