import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../project.js';
import type { Scenario } from './scenario.js';

const SERVICES = ['poller', 'worker', 'dashboard'];

/** Runs a command that must fail, and returns its error with the output. */
async function expectFailure(command: Promise<string>, reason: RegExp): Promise<void> {
  const message = await command.then(
    (output) => `it succeeded: ${output}`,
    (error: unknown) => String(error),
  );
  if (!reason.test(message)) throw new Error(`the command did not fail with ${reason}: ${message}`);
}

async function checkDashboard({ compose }: Project): Promise<void> {
  const address = (await compose('port', 'dashboard', '7420')).trim();
  const response = await fetch(`http://${address}/healthz`);
  if (!response.ok) throw new Error(`the dashboard at ${address} responds with ${response.status}`);
}

async function checkSandbox({ dir, compose }: Project): Promise<void> {
  writeFileSync(join(dir, 'unconfined.yml'), 'services:\n  worker:\n    security_opt: !override []\n');
  const files = ['docker-compose.yml', 'docker-compose.override.yml', 'unconfined.yml'];
  const options = [...files.flatMap((name) => ['-f', name]), 'run', '--rm', '--no-deps', 'worker'];
  await expectFailure(compose(...options), /cannot start any agent.*`security_opt` must contain/s);
}

async function checkMissingConfig({ dir, compose }: Project): Promise<void> {
  const [path, hidden] = [join(dir, 'mergexo.toml'), join(dir, 'hidden.toml')];
  renameSync(path, hidden);
  try {
    const command = compose('run', '--rm', '--no-deps', 'poller', '--version');
    await expectFailure(command, /bind source path does not exist/);
    if (existsSync(path)) throw new Error('Docker created a missing config as a directory');
  } finally {
    renameSync(hidden, path);
  }
}

export const SET_UP: Scenario = {
  name: 'each service can do its work, and a wrong setup is an error with a reason',
  isSmoke: true,
  async run({ project }) {
    const { compose } = project;
    for (const service of SERVICES) await compose('exec', '-T', service, 'mergexo', 'doctor');
    const writable = ['/data/spool', '/data/.codex', '/data/.claude'].map(
      (path) => `touch ${path}/x && rm ${path}/x`,
    );
    await compose('exec', '-T', 'worker', 'sh', '-ec', writable.join('; '));
    await compose('exec', '-T', 'poller', 'mergexo', 'backup', '/data/backup');
    await expectFailure(compose('run', '--rm', '--no-deps', 'worker', 'login'), /contains no agent/);
    await checkDashboard(project);
    await checkSandbox(project);
    await checkMissingConfig(project);
  },
};
