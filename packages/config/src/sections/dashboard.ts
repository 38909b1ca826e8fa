import { wholeNumber } from '../kinds/basics.js';
import { hostName, hostNames } from '../kinds/urls.js';
import { key } from './section.js';

export const dashboard = {
  title: 'dashboard',
  about:
    'The web dashboard. On any address other than loopback, it requires a password from the environment (`MERGEXO_DASHBOARD_PASSWORD`).',
  shape: {
    host: key(hostName().default('127.0.0.1'), {
      about: 'Address to listen on. The environment variable `MERGEXO_DASHBOARD_HOST` takes precedence.',
    }),
    port: key(wholeNumber(0, 65_535).default(7420), { about: 'Port to listen on; 0 selects a free one.' }),
    allowedHosts: key(hostNames().default([]), {
      about: 'Host names that browsers may use in addition to loopback and `host`.',
    }),
  },
};
