export { type ActiveLimit, type AdapterChoice, chooseAdapter } from './choose-adapter.js';
export { type Brake, findBrake } from './find-brake.js';
export {
  type AttachmentMessage,
  type BeginMessage,
  type BegunTurn,
  buildRequestId,
  type CredentialMessage,
  type FailMessage,
  type FreezeMessage,
  type HeartbeatMessage,
  LedgerAnswer,
  type LedgerDraft,
  LedgerMessage,
  MAX_BATCH,
  type MessageOf,
  type OperatorMessage,
  type ResetMessage,
  type StepsMessage,
} from './message.js';
export { MAX_REASON } from './operator-fields.js';
export {
  computeAttemptSecret,
  type HeldDraft,
  type HeldMessage,
  isProven,
  proveMessage,
} from './prove-attempt.js';
export { type JobState, queueTurn, requeueTurn } from './requeue-turn.js';
export { type AgentLimit, isWaitingToRetry, retryNow } from './retry-now.js';
export { openSealed, seal } from './seal.js';
export { openToken, sealToken } from './seal-token.js';
export { computeSender, isSenderName, LOCAL_WORKERS, nameIn, OPERATOR, type Sender } from './sender.js';
export { STEER_ORDERS, type SteerOrder } from './steer-message.js';
export { checkHeld, type Facts, type Step } from './step.js';
export { stepTurn, type TurnMessage } from './step-turn.js';
export { NOTICE_TEXTS, WorkerNotice } from './worker-notice.js';
