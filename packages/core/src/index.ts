export { decideRetry, type Retry, type TroubleKind } from './decide-retry.js';
export { FAILURE_KINDS, Failure, type FailureKind } from './failure.js';
export { buildJobId, type JobIdentity, parseJobId } from './job-id.js';
export type { Json } from './json.js';
export {
  type BeginMessage,
  type BegunTurn,
  buildRequestId,
  type FailMessage,
  type FinishMessage,
  type FreezeMessage,
  type HeartbeatMessage,
  LedgerAnswer,
  LedgerMessage,
  type ProgressMessage,
  type ReleaseMessage,
} from './ledger/message.js';
export { type JobSighting, queueTurn, requeueTurn } from './ledger/requeue-turn.js';
export { type Facts, HEARTBEAT_MS, HOLDER_SILENCE_MS, type Step, type Verdict } from './ledger/step.js';
export { stepTurn, type TurnMessage } from './ledger/step-turn.js';
export { type Log, silentLog } from './log.js';
export { type AgentSession, computePlanDigest, MAX_BUNDLE_BYTES, Plan, PlanParcel, Sha } from './plan.js';
export { createRedact, type Redact } from './redact.js';
export {
  buildTurnEvent,
  RUNTIME_EVENT_TYPES,
  type RuntimeEvent,
  type RuntimeEventType,
} from './runtime-event.js';
export {
  attemptOf,
  CARRIED_STATES,
  isCarried,
  isLive,
  LIVE_STATES,
  TURN_KINDS,
  TURN_STATES,
  type Turn,
  type TurnKind,
  type TurnState,
} from './turn.js';
export { computeTurnKey, type TurnIdentity } from './turn-key.js';
