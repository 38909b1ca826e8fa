export * from './accounts.js';
export * from './cursors.js';
export * from './repositories.js';
export * from './reviews.js';
export * from './runs.js';
export * from './runtime.js';
export * from './tasks.js';
export * from './turns.js';
