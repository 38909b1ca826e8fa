import { wholeNumber } from '../kinds/basics.js';
import { hostName, hostNames } from '../kinds/urls.js';
import { key } from './section.js';

export const dashboard = {
  title: 'dashboard',
  about:
    'The fleet page. Beyond loopback it wants a password, from the environment (`MERGEXO_DASHBOARD_PASSWORD`).',
  shape: {
    host: key(hostName().default('127.0.0.1'), { about: 'Address to listen on.' }),
    port: key(wholeNumber(0, 65_535).default(7420), { about: 'Port to listen on; 0 takes a free one.' }),
    allowedHosts: key(hostNames().default([]), {
      about: 'Further names under which a browser may ask for the page, besides loopback and `host`.',
    }),
  },
};
