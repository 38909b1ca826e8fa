import { ADAPTER_NAMES } from '@mergexo/core/agent';
import { environmentNames } from '../kinds/arguments.js';
import { oneOf, seconds } from '../kinds/basics.js';
import { key } from './section.js';

export const adapterName = () => oneOf(ADAPTER_NAMES);

export const agent = {
  title: 'agent',
  about: 'Who does the work, and within which limits.',
  shape: {
    adapter: key(adapterName().default('codex'), { about: 'The coding agent; see the section of its name.' }),
    timeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Longest time for one answer; then the agent and all its processes are ended.',
    }),
    silenceSeconds: key(seconds(1, 86_400).default(300), {
      about: 'Longest time without any output. Not more than `timeout_seconds`.',
    }),
    requiredTestsTimeoutSeconds: key(seconds(1, 86_400).default(600), {
      about: 'Longest time for one run of `required_tests`.',
    }),
    sandbox: key(oneOf(['auto', 'bwrap', 'none']).default('auto'), {
      about:
        '`auto` takes bubblewrap where it works, else an agent’s own sandbox (Codex), else refuses to start; `none` runs the agent with all rights of the worker.',
    }),
    requiredTestsSandbox: key(oneOf(['auto', 'none']).default('auto'), {
      about:
        '`auto` runs `required_tests` as `sandbox` says, and needs bubblewrap unless that is `none`; `none` runs them with all rights of the worker, also beside an agent that confines itself. The tests may be the agent’s work.',
    }),
    sessionMode: key(oneOf(['resume', 'stateless']).default('resume'), {
      about:
        '`resume` goes on in the agent’s own session; `stateless` starts fresh from the stored summary each time.',
    }),
    passEnv: key(environmentNames().default([]), {
      about:
        'Further environment variables that the agent may see, by name, such as the key for its model. It sees no others of ours.',
    }),
  },
};
