import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Settings } from '@mergexo/config';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

/** Part of the worker, because only that knows how agents are started. */
const PROGRAM = fileURLToPath(new URL('../../../worker/dist/inspect-agents-main.js', import.meta.url));
const LIMIT_MS = 60_000;

type Answer = { agents: (Omit<Finding, 'name'> & { adapter: string })[] };

/** Whether the configured agents are there, of which version, and logged in. */
export async function checkAgents({ configPath }: Settings, { env }: Context): Promise<Finding[]> {
  try {
    const args = ['--no-warnings', PROGRAM, '--config', configPath];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...env },
      timeout: LIMIT_MS,
    });
    const { agents }: Answer = JSON.parse(stdout);
    return agents.map(({ adapter, ...finding }) => ({ name: adapter, ...finding }));
  } catch (error) {
    const detail = `The agents could not be looked at: ${error instanceof Error ? error.message.slice(0, 300) : error}`;
    return [{ name: 'agents', status: 'warning', detail }];
  }
}
