#!/usr/bin/env node
/** Prints one JSON value for `mergexo doctor`: the state of the configured agents, and whether required tests can run. */
import { inspectAgents, inspectTests } from '@mergexo/agents';
import { ConfigError } from '@mergexo/config';
import { readWorkerConfig } from './config.js';
import { describeMachine, listAdapters } from './create-steps.js';

try {
  process.stdout.write(`${JSON.stringify({ agents: await inspect() })}\n`);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`mergexo: ${error.message}\n`);
  process.exitCode = 1;
}

async function inspect() {
  const settings = readWorkerConfig();
  const { repos, agent, sandbox } = settings.config;
  const machine = await describeMachine(settings);
  const tested = repos.filter(({ requiredTests }) => requiredTests !== undefined);
  const tests = inspectTests(
    tested.map(({ fullName }) => fullName),
    { ...sandbox, ...agent, ...machine },
  );
  return [...(await inspectAgents(listAdapters(repos), machine)), ...tests];
}
