export { createLedgerSender, type LedgerSender } from './connect/create-ledger-sender.js';
export { sendHeartbeats } from './connect/send-heartbeats.js';
export { type Leave, runTurn, type Tools } from './run-turn.js';
export { type RunningWorker, runWorker, type WorkerOptions } from './run-worker.js';
export { type MakePlan, type Planned, trouble } from './steps/make-plan.js';
export { createPushPlan, type Pushed, type PushPlan } from './steps/push-plan.js';
