import { ADAPTER_NAMES } from '@mergexo/core/agent';
import { z } from 'zod';
import { environmentNames } from '../kinds/arguments.js';
import { flag, oneOf, seconds, wholeNumber } from '../kinds/basics.js';
import { kind } from '../kinds/kind.js';
import { key } from './section.js';

export const adapterName = () => oneOf(ADAPTER_NAMES);

export const adapterNames = () =>
  kind(
    `a list of distinct agents from ${ADAPTER_NAMES.map((name) => `"${name}"`).join(', ')}`,
    z.array(z.enum(ADAPTER_NAMES)).superRefine(refuseRepetition),
  );

function refuseRepetition(names: readonly string[], context: z.RefinementCtx): void {
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      context.addIssue({
        code: 'custom',
        path: [index],
        params: { complaint: 'which the list names twice' },
      });
}

export const agent = {
  title: 'agent',
  about: 'The coding agent, its limits and its sandbox.',
  shape: {
    adapter: key(adapterName().default('codex'), {
      about: 'The agent to use; see the section with its name.',
    }),
    fallback: key(adapterNames().default([]), {
      about:
        'Agents that take over, in this order, while the provider of the agent before them refuses work because of a usage limit. Each uses the model of its own section. Without a fallback, the work waits until the limit resets.',
    }),
    timeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Time limit for one answer. When it is reached, MergeXO stops the agent and all its processes.',
    }),
    silenceSeconds: key(seconds(1, 86_400).default(300), {
      about: 'Time limit for the agent to run without any output. At most `timeout_seconds`.',
    }),
    requiredTestsTimeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Time limit for one run of `required_tests`.',
    }),
    setupTimeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Time limit for one run of `setup`.',
    }),
    maxMemoryMb: key(wholeNumber(64, 16_777_216).default(8192), {
      about:
        'Memory limit in MiB for the agent with its commands, and also for each run of `setup` or `required_tests`. A turn that exceeds this limit or one of the next three fails.',
    }),
    maxProcesses: key(wholeNumber(16, 1_000_000).default(4096), {
      about: 'Processes and threads that may run at the same time in one turn.',
    }),
    maxOpenFiles: key(wholeNumber(64, 1_000_000).default(65_536), {
      about: 'Files that one process may have open.',
    }),
    maxDiskMb: key(wholeNumber(64, 16_777_216).default(20_480), {
      about:
        'Disk space in MiB for the checkout, the home and the temporary files of one turn together. It is also the maximum size of one file.',
    }),
    sandbox: key(oneOf(['auto', 'bwrap', 'none']).default('auto'), {
      about:
        '`auto` uses bubblewrap where it works, otherwise the agent’s own sandbox (Codex only). If there is neither, MergeXO refuses to start the agent. `none` runs the agent with all of the worker’s permissions.',
    }),
    requiredTestsSandbox: key(oneOf(['auto', 'none']).default('auto'), {
      about:
        '`auto` follows `sandbox`, and needs bubblewrap unless `sandbox` is `none`. `none` runs `setup` and `required_tests` with all of the worker’s permissions, even if the agent is sandboxed. Be careful: the agent may have written the tests.',
    }),
    allowNestedSandboxes: key(flag().default(false), {
      about:
        'If true, commands and `required_tests` may create user namespaces in bubblewrap. Browsers with their own sandbox and container tools need them. Codex may always create them.',
    }),
    sessionMode: key(oneOf(['resume', 'stateless']).default('resume'), {
      about:
        '`resume` continues the agent’s own session. `stateless` starts a new session from the stored summary each time.',
    }),
    passEnv: key(environmentNames().default([]), {
      about:
        'Names of environment variables to pass to the agent, such as the API key for its model. The agent gets none of MergeXO’s other variables.',
    }),
  },
};
