export { type BudgetChange, type BudgetUse, findReachedBudgets } from './budget.js';
export {
  BudgetReached,
  NOTICE_KINDS,
  NOTIFY_CHANNELS,
  type Notice,
  type NoticeKind,
  type NotifyChannel,
} from './notice.js';
export { neutraliseChat, renderChat, renderPlain, toTitle } from './render-notices.js';
export { NOTICE_EVENTS, type NoticeEvent, toNotice } from './to-notice.js';
