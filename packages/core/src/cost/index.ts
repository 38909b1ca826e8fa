export { computeCost, type Price, type Prices } from './price.js';
