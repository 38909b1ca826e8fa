import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Settings } from '@mergexo/config';
import type { Context } from '../context.js';
import { type Finding, messageOf } from './finding.js';

/** The program that checks agents is part of the worker, because only the worker starts agents. */
const PROGRAM = fileURLToPath(new URL('../../../worker/dist/inspect-agents-main.js', import.meta.url));
const LIMIT_MS = 60_000;

type Answer = { agents: (Omit<Finding, 'name'> & { adapter: string })[] };

/** Checks that the configured agents are installed and logged in. */
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
    const detail = `could not check the agents: ${messageOf(error).slice(0, 300)}`;
    return [{ name: 'agents', status: 'warning', detail }];
  }
}
