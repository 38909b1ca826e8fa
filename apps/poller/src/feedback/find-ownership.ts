import {
  type ActionKind,
  OURS,
  type Ownership,
  placeOfRemark,
  type Remark,
  readToken,
  type SigningKeys,
  threadRootOf,
  verifyBody,
} from '@mergexo/core';
import type { Viewer } from '@mergexo/github';
import type { State } from '@mergexo/state';

export type OwnershipTools = { state: State; keys: SigningKeys; viewer: Viewer };

const REPLIES: readonly ActionKind[] = ['review_reply'];
const COMMENTS: readonly ActionKind[] = [
  'status_comment',
  'wait_comment',
  'general_comment',
  'command_reply',
  'unblock_notice',
  'block_notice',
  'park_notice',
  'redirect',
  'close_notice',
  'conflict_notice',
  'document_notice',
];

/** Whether we wrote it. The author proves nothing, since people run this under their own login; a foreign marker neither. */
export function findOwnership(
  { state, keys, viewer }: OwnershipTools,
  repoId: number,
  remark: Remark,
): { ownership: Ownership; intact: boolean } {
  const rootId = remark.kind === 'review' ? threadRootOf(remark) : null;
  const proof = verifyBody(remark.body, placeOfRemark(repoId, { thread: remark.thread, rootId }), keys);
  const intact = proof?.intact ?? false;
  const kinds = remark.kind === 'review' ? REPLIES : COMMENTS;
  if (state.readActionByRemoteId(repoId, kinds, remark.commentId) !== undefined)
    return { ownership: 'ours', intact };
  if (proof === undefined || remark.author.id !== viewer.id) return { ownership: 'not-ours', intact };

  // Whoever has the words can post them again; only the first is ours.
  const token = readToken(remark.body) ?? '';
  const recorded = state.readActionByToken(token)?.remoteId ?? null;
  const isLater =
    recorded !== null ||
    state
      .listEventsOfThread(repoId, remark.thread)
      .some(
        ({ skipReason, commentId, payload }) =>
          skipReason === OURS && commentId < remark.commentId && readToken(payload.body) === token,
      );
  if (!isLater) return { ownership: 'ours', intact };
  return { ownership: intact ? 'copy' : 'not-ours', intact };
}
