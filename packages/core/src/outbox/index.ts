export { decideAfterFind, decideOpenConflict, decidePostStep, decideRefusal } from './decide-post.js';
export {
  looksSigned,
  type Meta,
  placeOfRemark,
  readToken,
  type SigningKeys,
  signBody,
  verifyBody,
} from './marker.js';
export {
  parseDesignLine,
  renderBlockNotice,
  renderCloseNotice,
  renderConflictNotice,
  renderParkNotice,
  renderPullBody,
  renderPullRemedy,
  renderRedirect,
  renderRefusal,
  renderReviewerNotice,
  renderStatusComment,
  renderThreadLink,
  renderWaitComment,
  START_REMEDY,
  shortenReason,
} from './render-posts.js';
export type { PullReceipt } from './render-receipt.js';
export { WRITES_PER_HOUR } from './writes-per-hour.js';
