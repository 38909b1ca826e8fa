#!/usr/bin/env node
/** Checks GitHub, the login and the repositories for `mergexo doctor`, and prints the findings as one JSON value. */
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { findToken, readSettings } from '@mergexo/config';
import { explainError } from '@mergexo/core/basics';
import { createFetch } from '@mergexo/github';
import { createLogin } from '../connect/create-login.js';
import { inspectApp } from './inspect/inspect-app.js';
import { inspectGitHub } from './inspect/inspect-github.js';

try {
  process.stdout.write(`${JSON.stringify({ findings: await inspect() })}\n`);
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`${problem.message}\n`);
  process.exitCode = 1;
}

function inspect() {
  const { values } = parseArgs({ options: { config: { type: 'string' } } });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const login = createLogin(settings);
  if (login.app !== undefined) {
    const access = {
      apiUrl: settings.config.github.apiUrl,
      now: () => Date.now(),
      fetch: createFetch(settings.proxy),
    };
    return inspectApp({ config: settings.config, login, access });
  }
  const token = findToken(settings, () => performance.now());
  const { config, reviewerToken, proxy } = settings;
  return inspectGitHub({ config, token, reviewerToken, proxy, now: () => Date.now() });
}
