import type { BlockKind, WaitKind } from '../turns/plan.js';
import type { CapKey } from './check-limits.js';

/**
 * Why a run or pull request is waiting: for an operator (`blocked`), for a reply on the issue
 * (`awaiting_issue_followup`), or because of a limit (`ready`).
 */
export type HoldKind = BlockKind | WaitKind | CapKey;
