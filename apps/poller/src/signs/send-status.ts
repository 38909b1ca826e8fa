import { createHash } from 'node:crypto';
import { Failure, failpoint } from '@mergexo/core/basics';
import { redactNeutral } from '@mergexo/core/text';
import type { StatusComment } from '@mergexo/state';
import { isInRebuildWindow } from '../lifecycle/database-age.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isReadable } from '../threads/find-issue.js';
import type { Repo } from '../tools.js';
import { findStatus, signStatus } from './find-status.js';
import { handleSignFailure } from './handle-sign-failure.js';
import type { WantedStatus } from './list-statuses.js';
import type { Signing } from './sign-tools.js';

const NO_COMMENT = { state: 'absent', remoteId: null, digest: null, sentAt: 0, open: true } as const;

/** Posts, finds or edits one status comment. Returns false if the rest of the round must wait. */
export async function sendStatus(signing: Signing, repo: Repo, wanted: WantedStatus): Promise<boolean> {
  const { issueNumber } = wanted;
  const row = wanted.row ?? { repoId: repo.id, issueNumber, ...NO_COMMENT };
  const text = redactNeutral(wanted.status.text, signing.redact);
  const work = { ...wanted, row, text, digest: digestOf(text) };
  try {
    return row.state === 'posted' ? await edit(signing, repo, work) : await findOrPost(signing, repo, work);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await handleSignFailure(signing, repo, {
      failure: error,
      thread: issueNumber,
      undo: () => signing.state.saveStatusComment(row),
      refuse: () => signing.state.saveStatusComment({ ...row, state: 'refused', open: false }),
    });
    return true;
  }
}

type Work = Omit<WantedStatus, 'row'> & { row: StatusComment; text: string; digest: string };

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Searches GitHub first: the comment may be there from before a crash or a database loss. */
async function findOrPost(signing: Signing, repo: Repo, work: Work): Promise<boolean> {
  const { state, memory, monotonicNow, windowMs, now } = signing;
  const { row, mayPost, issueNumber } = work;
  if (row.state === 'absent' && work.row.sentAt > 0 && !mayPost) return true;
  const quietSince = memory.quietSince(keyOf(row));
  const startedAt = monotonicNow();
  const isTooEarly = row.state === 'sending' && startedAt - quietSince < windowMs;
  if (isTooEarly || isInRebuildWindow({ state, now, windowMs }, repo)) {
    memory.wakeAfter(windowMs / 4);
    return true;
  }
  const remoteId = await findStatus(signing, { repo, issueNumber }, row);
  if (remoteId !== undefined) {
    const found = { ...row, state: 'posted' as const, remoteId };
    state.saveStatusComment(found);
    return edit(signing, repo, { ...work, row: found });
  }
  if (mayPost) return post(signing, repo, work);
  state.saveStatusComment({ ...row, state: 'absent', sentAt: now(), open: false });
  return true;
}

async function post(signing: Signing, repo: Repo, work: Work): Promise<boolean> {
  const { state, github, keys, memory, budget, now } = signing;
  const { row, text, digest, issueNumber } = work;
  if (!(await signing.mayWrite())) return false;
  state.saveStatusComment({ ...row, state: 'sending' });
  failpoint('poller:sign-sending');
  try {
    const body = signStatus(keys, { repo, issueNumber }, text);
    const { id: remoteId } = await github.postStatusComment(repo.config.fullName, issueNumber, body);
    failpoint('poller:sign-answered');
    const open = !work.status.isFinal;
    state.saveStatusComment({ ...row, state: 'posted', remoteId, digest, sentAt: now(), open });
    failpoint('poller:sign-recorded');
    return true;
  } finally {
    budget.noteWrite();
    memory.noteRequest(keyOf(row));
  }
}

/** Edits the comment if its text changed. The feed has recorded edits by people, which end the edits by MergeXO. */
async function edit(signing: Signing, repo: Repo, work: Work): Promise<boolean> {
  const { state, github, keys, memory, budget, now } = signing;
  const { row, text, digest, issueNumber, status } = work;
  if (row.remoteId === null) return true;
  if (row.digest === digest) {
    memory.noteUpToDate(keyOf(row));
    if (row.open && status.isFinal) state.saveStatusComment({ ...row, open: false });
    return true;
  }
  const waitMs = computeWait(signing, work);
  if (waitMs > 0) {
    memory.wakeAfter(waitMs);
    return true;
  }
  if (!(await signing.mayWrite())) return false;
  failpoint('poller:sign-sending');
  try {
    const body = signStatus(keys, { repo, issueNumber }, text);
    await github.updateIssueComment(repo.config.fullName, row.remoteId, body);
    failpoint('poller:sign-answered');
    memory.noteUpToDate(keyOf(row));
    state.saveStatusComment({ ...row, digest, sentAt: now(), open: !status.isFinal });
    failpoint('poller:sign-recorded');
    return true;
  } catch (error) {
    const isGone = error instanceof Failure && error.kind === 'not-found';
    if (!isGone || !(await isReadable(github, repo))) throw error;
    giveUp(signing, row);
    return true;
  } finally {
    budget.noteWrite();
  }
}

/** A comment may be outdated for this many times as long as its text must stay the same before an edit. */
const MAX_WAITS = 10;

/**
 * Computes how long the edit must wait. Each edit costs a request, and the next poll reads it. The text must have
 * settled, unless the comment has been outdated for long. A minor text is sent only then.
 */
function computeWait({ memory, settleMs, isLast }: Signing, { row, digest, status }: Work): number {
  const { stableMs, outdatedMs } = memory.noteOutdated(keyOf(row), digest);
  const latestMs = MAX_WAITS * settleMs - outdatedMs;
  if (isLast) return 0;
  return status.isMinor ? latestMs : Math.min(settleMs - stableMs, latestMs);
}

/** Records that a person deleted the comment, so that MergeXO posts no other one. */
function giveUp(signing: Signing, row: StatusComment): void {
  const { repoId, issueNumber, remoteId } = row;
  signing.state.transaction(() => {
    signing.state.saveStatusComment({ ...row, state: 'deleted', open: false });
    const payload = { what: 'deleted', comment_id: remoteId, action: 'issue_status' };
    recordEvents(signing, [{ type: 'action_mismatch', repoId, issueNumber, payload }]);
  });
}

const keyOf = ({ repoId, issueNumber }: StatusComment): string => `${repoId}/${issueNumber}`;
