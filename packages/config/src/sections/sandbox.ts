import { oneOf } from '../kinds/basics.js';
import { hosts } from '../kinds/hosts.js';
import { key } from './section.js';

export const sandbox = {
  title: 'sandbox',
  about: 'The hosts that agents, setup and tests can reach. Any value but `all` needs bubblewrap.',
  shape: {
    network: key(oneOf(['model-only', 'allow-list', 'all']).optional(), {
      about:
        '`model-only` lets the agent reach only the hosts of its model. `allow-list` adds `allowed_hosts`. `all` shares the network of the machine, including loopback. MergeXO refuses to start an agent whose network it cannot restrict as set here.',
      absent: '`model-only` for `codex` and `claude` where it works, otherwise `all`',
      example: 'allow-list',
    }),
    allowedHosts: key(hosts().default([]), {
      about:
        'Hosts for `allow-list`, such as `registry.npmjs.org` or `*.example.com`. Without a port, an entry allows TLS on port 443 and plain HTTP requests on port 80, and only public addresses. An entry with a port, such as `10.0.0.7:8443`, can also name a private address.',
    }),
    setupNetwork: key(oneOf(['all', 'allow-list', 'none']).default('all'), {
      about:
        'Network access for `setup`: everything, only `allowed_hosts`, or nothing. Setup downloads dependencies, and their hosts differ between repositories.',
    }),
    requiredTestsNetwork: key(oneOf(['all', 'allow-list', 'none']).default('all'), {
      about:
        'Network access for `required_tests`: everything, only `allowed_hosts`, or nothing. Most tests fetch their dependencies.',
    }),
  },
};
