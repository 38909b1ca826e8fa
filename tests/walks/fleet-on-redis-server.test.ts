import { describeFleet } from '../support/describe-fleet.js';
import { installedRedis } from '../support/installed-redis.js';

const kind = installedRedis;
if (kind === undefined) it.skip('needs redis-server or valkey-server on the PATH', () => {});
else describe(`a fleet on ${kind}`, () => describeFleet(kind));
