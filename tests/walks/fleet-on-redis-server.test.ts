import { onlyWith } from '@mergexo/testkit';
import { describeFleet } from '../support/describe-fleet.js';
import { installedRedis, missingRedis } from '../support/installed-redis.js';

const kind = installedRedis ?? 'redis-server';
onlyWith(missingRedis).describe(`a fleet on ${kind}`, () => describeFleet(kind));
