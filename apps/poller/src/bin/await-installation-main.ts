#!/usr/bin/env node
/** Waits for the installation of the configured App for `mergexo init --app`, and prints each step as a line of JSON. */
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { isLoopbackUrl, readSettings } from '@mergexo/config';
import { explainError, UsageError } from '@mergexo/core/basics';
import { createLogin } from '../connect/create-login.js';
import { awaitInstallation, type InstallationStep } from './app/await-installation.js';

const PAUSE_MS = 3_000;
const LOCAL_PAUSE_MS = 100;
const LIMIT_MS = 30 * 60_000;

try {
  const { values } = parseArgs({ options: { config: { type: 'string' } } });
  // The command reads these lines. When the command exits, this program exits too.
  process.stdin.on('end', () => process.exit(1)).resume();
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const { app } = createLogin(settings);
  if (app === undefined) throw new UsageError('The config names no GitHub App.');
  await awaitInstallation({
    app,
    repos: settings.config.repos.map(({ fullName }) => fullName),
    tell,
    pauseMs: isLoopbackUrl(settings.config.github.apiUrl) ? LOCAL_PAUSE_MS : PAUSE_MS,
    limitMs: LIMIT_MS,
    monotonicNow: () => performance.now(),
  });
  process.exit(0);
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`${problem.message}\n`);
  process.exit(1);
}

function tell(step: InstallationStep): void {
  process.stdout.write(`${JSON.stringify(step)}\n`);
}
