import type { Failure } from '@mergexo/core/basics';
import { decideSignFailure } from '@mergexo/core/signs';
import { isLocked, statusOf } from '@mergexo/github';
import { recordEvents } from '../lifecycle/record-events.js';
import { isReadable } from '../threads/find-issue.js';
import type { Repo } from '../tools.js';
import type { Signing } from './sign-tools.js';

/** A token without the permission is checked again after this time, because a person may have fixed it. */
const REFUSED_MS = 3_600_000;
const UNKNOWN_MS = 60_000;

type Failed = {
  failure: Failure;
  thread: number;
  /** Restores the record, because GitHub did not apply the request. */
  undo: () => void;
  /** Records that GitHub will never accept the sign. */
  refuse: () => void;
};

/** Handles a failed sign. Replies and other posts continue. Records each reason once. */
export async function handleSignFailure(signing: Signing, repo: Repo, failed: Failed): Promise<void> {
  const { memory, state, log } = signing;
  const { failure, thread, undo, refuse } = failed;
  const step = decideSignFailure({
    kind: failure.kind,
    status: statusOf(failure),
    isLocked: isLocked(failure),
  });
  if (step === 'unknown') {
    memory.pause(repo.id, { ms: UNKNOWN_MS, reason: failure.message });
    memory.wakeAfter(UNKNOWN_MS);
    log.debug(
      { issue_number: thread, err: failure },
      'GitHub did not confirm a sign; MergeXO repeats it later',
    );
    return;
  }
  const isFinal =
    step === 'refuse' || (step === 'refuse-if-readable' && (await isReadable(signing.github, repo)));
  state.transaction(isFinal ? refuse : undo);
  const ms = failure.retryAfterMs ?? (statusOf(failure) === 403 ? REFUSED_MS : UNKNOWN_MS);
  const isNew = isFinal || memory.pause(repo.id, { ms, reason: failure.message });
  if (!isNew || failure.kind === 'rate-limited') return;
  const payload = { reason: failure.message };
  state.transaction(() =>
    recordEvents(signing, [{ type: 'sign_refused', repoId: repo.id, issueNumber: thread, payload }]),
  );
}
