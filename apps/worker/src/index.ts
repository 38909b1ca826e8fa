export { createLedgerSender, type LedgerSender } from './connect/create-ledger-sender.js';
export { type RunningWorker, runWorker, type WorkerOptions } from './run-worker.js';
export type { MakePlan, Planned } from './steps/make-plan.js';
export type { Pushed, PushPlan } from './steps/push-plan.js';
