export { computeCost, type Price, type Prices } from './price.js';
export { describeUsage } from './usage.js';
