import { createHash } from 'node:crypto';
import { Failure, failpoint, isWithin } from '@mergexo/core/basics';
import type { StatusComment } from '@mergexo/state';
import { isInRebuildWindow } from '../lifecycle/database-age.js';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Repo } from '../tools.js';
import { findStatus, signStatus, verifyStatus } from './find-status.js';
import { handleSignFailure } from './handle-sign-failure.js';
import type { WantedStatus } from './list-statuses.js';
import type { Signing } from './sign-tools.js';

const NO_COMMENT = { state: 'absent', remoteId: null, digest: null, sentAt: 0, open: true } as const;

/** Posts, finds or edits one status comment. Returns false if the rest of the round must wait. */
export async function sendStatus(signing: Signing, repo: Repo, wanted: WantedStatus): Promise<boolean> {
  const { issueNumber } = wanted;
  const row = wanted.row ?? { repoId: repo.id, issueNumber, ...NO_COMMENT };
  const text = signing.redact(wanted.status.text);
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
  const remoteId = await findStatus(signing, { repo, issueNumber });
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

/** Edits the comment if its text changed. MergeXO leaves a comment alone that a person edited or deleted. */
async function edit(signing: Signing, repo: Repo, work: Work): Promise<boolean> {
  const { state, github, keys, memory, budget, now, editGapMs } = signing;
  const { row, text, digest, issueNumber, status } = work;
  if (row.remoteId === null) return true;
  if (row.digest === digest) {
    if (row.open && status.isFinal) state.saveStatusComment({ ...row, open: false });
    return true;
  }
  if (!signing.isLast && isWithin(editGapMs, row.sentAt, now())) {
    memory.wakeAfter(row.sentAt + editGapMs - now());
    return true;
  }
  if (!(await signing.mayWrite())) return false;
  const comment = await github.fetchIssueComment(repo.config.fullName, row.remoteId);
  const proof = comment === null ? undefined : verifyStatus(keys, { repo, issueNumber }, comment);
  if (!proof?.intact) {
    giveUp(signing, row, comment === null ? 'deleted' : 'edited');
    return true;
  }
  failpoint('poller:sign-sending');
  try {
    const body = signStatus(keys, { repo, issueNumber }, text);
    await github.updateIssueComment(repo.config.fullName, row.remoteId, body);
    failpoint('poller:sign-answered');
    state.saveStatusComment({ ...row, digest, sentAt: now(), open: !status.isFinal });
    failpoint('poller:sign-recorded');
    return true;
  } finally {
    budget.noteWrite();
  }
}

function giveUp(signing: Signing, row: StatusComment, what: 'edited' | 'deleted'): void {
  const { repoId, issueNumber, remoteId } = row;
  signing.state.transaction(() => {
    signing.state.saveStatusComment({ ...row, state: what, open: false });
    const payload = { what, comment_id: remoteId, action: 'issue_status' };
    recordEvents(signing, [{ type: 'action_mismatch', repoId, issueNumber, payload }]);
  });
}

const keyOf = ({ repoId, issueNumber }: StatusComment): string => `${repoId}/${issueNumber}`;
