import { basename, join } from 'node:path';
import {
  type AgentsOptions,
  readHostRule,
  runRepositoryProgram,
  type TestsNetwork,
  type TestsSandboxChoice,
} from '@mergexo/agents';
import type { Config } from '@mergexo/config';
import type { Redact } from '@mergexo/core/text';
import { removeTree } from '@mergexo/process';
import { showOutput } from './steps/check/show-output.js';
import type { PlanTools, RunProgram } from './steps/task.js';

type Programs = Pick<PlanTools, 'runTests' | 'runSetup'>;
type Settings = { config: Pick<Config, 'sandbox' | 'agent' | 'runtime'>; redact: Redact };
type Machine = Pick<AgentsOptions, 'host'> & { choice: TestsSandboxChoice };

/** Binds setup and the required tests to this machine. */
export function createRunPrograms({ config, redact }: Settings, machine: Machine): Programs {
  const { sandbox, agent, runtime } = config;
  const { host, choice } = machine;
  const create =
    (kind: 'setup' | 'test', mode: TestsNetwork, timeoutSeconds: number): RunProgram =>
    async ({ slot, repo, signal, report }, { path, home }) => {
      if (choice.kind === 'refused') return { kind: 'aborted', reason: choice.reason };
      const ownHome = join(runtime.baseDir, 'tests', repo.owner, repo.name, basename(slot.path));
      // A crash may have left the home of an earlier run.
      await removeTree(ownHome);
      const output = showOutput({ kind, path }, { show: report.show, redact });
      try {
        const run = await runRepositoryProgram(
          { ...host, sandbox: choice.sandbox },
          {
            path,
            cwd: slot.path,
            // This is never the agent's home, because the repository's code must not read the agent's sessions and
            // login. Without setup, each run has a new home, because an agent's test could change the next run.
            home: home ?? ownHome,
            timeoutMs: timeoutSeconds * 1_000,
            signal,
            readOnlyPaths: [slot.mirrorPath],
            network: mode === 'allow-list' ? sandbox.allowedHosts.map(readHostRule) : mode,
            onRefusedHost: report.refusedHost,
            onLine: output.onLine,
          },
        );
        output.end(run);
        return run;
      } finally {
        await removeTree(ownHome);
      }
    };
  return {
    runTests: create('test', sandbox.requiredTestsNetwork, agent.requiredTestsTimeoutSeconds),
    runSetup: create('setup', sandbox.setupNetwork, agent.setupTimeoutSeconds),
  };
}
