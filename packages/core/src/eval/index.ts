export { ABLATIONS, type AblatedItem, ablate, isAblatedItem, isAffected } from './ablate.js';
export { countFoundComments } from './count-found-comments.js';
export {
  chooseReplayKind,
  EvalCase,
  listReplays,
  REPLAYS,
  type Replay,
  type ReplayContext,
  type ReviewPlace,
} from './eval-case.js';
export { EvalRecord, type EvalSubject } from './eval-record.js';
export { EvalScore, NO_MEASURES } from './eval-score.js';
export { findClosedIssue } from './find-closed-issue.js';
export { type MeasuredFile, measureChange } from './measure-change.js';
export { readTextThen, type TextHistory } from './read-text-then.js';
export { ROW_HEADING, renderRow } from './render-rows.js';
export { type EvalRow, type RowScore, summarizeScores } from './summarize-scores.js';
