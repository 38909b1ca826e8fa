export {
  ACTION_STATES,
  type Action,
  computeActionId,
  computeNoticeId,
  computeRedirectId,
  isSettled,
  planActions,
  planNotice,
  planTurnAction,
} from './action.js';
export { ActionContent } from './action-content.js';
export {
  ACTION_KINDS,
  ACTION_TRAITS,
  type ActionKind,
  isRenderedComment,
  listKindsIn,
  type RenderedComment,
  type ShownIn,
} from './action-kind.js';
export { type ActionTarget, buildTarget, parseTarget } from './action-target.js';
export { describeAction } from './describe-action.js';
