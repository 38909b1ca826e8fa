import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '@mergexo/config';
import { isLoopbackHost } from '@mergexo/core/basics';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

const name = 'dashboard';
const RESPONSE_TIMEOUT_MS = 2_000;

/** Checks that the port is free, and that a password is set if other machines can reach the dashboard. */
export async function checkDashboard({ config }: Settings, { env }: Context): Promise<Finding[]> {
  const { host, port } = config.dashboard;
  const where = `${host}:${port}`;
  if (!isLoopbackHost(host) && !env['MERGEXO_DASHBOARD_PASSWORD']) {
    const fix = 'Set MERGEXO_DASHBOARD_PASSWORD (12 characters or more), or dashboard.host = "127.0.0.1".';
    return [
      { name, status: 'failure', detail: `other machines can reach ${where}, but no password is set`, fix },
    ];
  }
  const problem = await tryToListen(host, port);
  if (problem === undefined) return [{ name, status: 'ok', detail: `${where} is free` }];
  if (await isMergexoDashboard(host, port))
    return [{ name, status: 'ok', detail: `the dashboard is running on ${where}` }];
  const fix =
    'Change dashboard.port, or stop the program that uses the port. The poller and the workers run without the dashboard.';
  return [{ name, status: 'warning', detail: `${where} cannot be used (${problem})`, fix }];
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

/** True if a MergeXO dashboard already responds on the port, for example because `mergexo up` is running. */
export async function isMergexoDashboard(host: string, port: number): Promise<boolean> {
  try {
    const response = await fetch(`${dashboardUrlOf(host, port)}/healthz`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    return response.ok && (await response.text()) === 'ok\n';
  } catch {
    return false;
  }
}

/** The dashboard's address for a browser on this machine. */
export function dashboardUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
