export { ActionEnd, renderActionEnd, type UnsentReason } from './action-end.js';
export { type Distrust, renderSkipReason, SkipReason } from './skip-reason.js';
