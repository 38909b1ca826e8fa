import { ADAPTER_NAMES } from '@mergexo/core/agent';
import { environmentNames } from '../kinds/arguments.js';
import { oneOf, seconds } from '../kinds/basics.js';
import { key } from './section.js';

export const adapterName = () => oneOf(ADAPTER_NAMES);

export const agent = {
  title: 'agent',
  about: 'The coding agent, its limits and its sandbox.',
  shape: {
    adapter: key(adapterName().default('codex'), {
      about: 'The agent to use; see the section with its name.',
    }),
    timeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Time limit for one answer. When it is reached, MergeXO ends the agent and all its processes.',
    }),
    silenceSeconds: key(seconds(1, 86_400).default(300), {
      about: 'Time limit for the agent to run without any output. At most `timeout_seconds`.',
    }),
    requiredTestsTimeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Time limit for one run of `required_tests`.',
    }),
    sandbox: key(oneOf(['auto', 'bwrap', 'none']).default('auto'), {
      about:
        '`auto` uses bubblewrap where it works, otherwise the agent’s own sandbox (Codex only). If there is neither, MergeXO refuses to start the agent. `none` runs the agent with all rights of the worker.',
    }),
    requiredTestsSandbox: key(oneOf(['auto', 'none']).default('auto'), {
      about:
        '`auto` follows `sandbox`, and needs bubblewrap unless `sandbox` is `none`. `none` runs `required_tests` with all rights of the worker, even if the agent is sandboxed. Be careful: the agent may have written the tests.',
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
