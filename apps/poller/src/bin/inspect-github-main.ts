#!/usr/bin/env node
/** Checks GitHub, the login and the repositories for `mergexo doctor`, and prints the findings as one JSON value. */
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { findToken, readSettings } from '@mergexo/config';
import { explainError } from '@mergexo/core/basics';
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
  const token = findToken(settings, () => performance.now());
  const { config, reviewerToken, proxy } = settings;
  return inspectGitHub({ config, token, reviewerToken, proxy, now: () => Date.now() });
}
