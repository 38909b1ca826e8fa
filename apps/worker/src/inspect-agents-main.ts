#!/usr/bin/env node
/** Prints one JSON value: what `mergexo doctor` says about the agents of the configuration, and whether required tests can run. */
import { inspectAgents, inspectTests, listNodePaths, probeBubblewrap } from '@mergexo/agents';
import { ConfigError } from '@mergexo/config';
import { readWorkerConfig } from './config.js';

try {
  process.stdout.write(`${JSON.stringify({ agents: await inspect() })}\n`);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`mergexo: ${error.message}\n`);
  process.exitCode = 1;
}

async function inspect() {
  const { config, childEnv, searchPath } = readWorkerConfig();
  const { agent, codex, claude, command } = config;
  const names = config.repos.flatMap((repo) => [
    repo.agent.adapter,
    ...(repo.reviewEnabled ? [repo.reviewAgent.adapter] : []),
  ]);
  const bubblewrap = await probeBubblewrap(searchPath);
  const tested = config.repos.filter(({ requiredTests }) => requiredTests !== undefined);
  const agents = await inspectAgents(names, {
    host: {
      env: childEnv,
      passEnv: agent.passEnv,
      runsDir: config.runtime.baseDir,
      readOnlyPaths: listNodePaths(process.execPath),
    },
    sandbox: agent.sandbox,
    bubblewrap,
    codex,
    claude,
    ...(command.argv !== undefined && { command: { argv: command.argv } }),
  });
  const tests = inspectTests(
    tested.map(({ fullName }) => fullName),
    { ...agent, bubblewrap },
  );
  return [...agents, ...tests];
}
