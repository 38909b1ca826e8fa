import { onlyWith } from '@mergexo/testkit';
import { describeFleet } from '../fleet/describe-fleet.js';
import { installedRedis, missingRedis } from '../fleet/installed-redis.js';

const kind = installedRedis ?? 'redis-server';
onlyWith(missingRedis).describe(`a fleet on ${kind}`, () => describeFleet(kind));
