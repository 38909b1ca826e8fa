export { answerLedger, type Desk } from './answer-ledger.js';
export { createHearing, type Hearing } from './hearing.js';
export { type PollTools, pollOnce } from './poll-once.js';
export { reconcile } from './reconcile.js';
export { type RunningPoller, runPoller } from './run-poller.js';
