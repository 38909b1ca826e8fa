import { placeOfRemark, type SigningKeys, signBody, verifyBody } from '@mergexo/core/outbox';
import { computeStatusId, STATUS_KIND } from '@mergexo/core/signs';
import type { GitHub, IssueComment } from '@mergexo/github';
import type { StatusComment } from '@mergexo/state';
import type { Repo, Self } from '../tools.js';

type Issue = { repo: Repo; issueNumber: number };

const placeOf = ({ repo, issueNumber }: Issue) =>
  placeOfRemark(repo.id, { thread: issueNumber, rootId: null });

export function signStatus(keys: SigningKeys, issue: Issue, text: string): string {
  const { repo, issueNumber } = issue;
  const cause = computeStatusId({ repoId: repo.id, issueNumber });
  const meta = { kind: STATUS_KIND, target: `thread:${issueNumber}`, index: '0', cause };
  return signBody(text, { meta, place: placeOf(issue), keys });
}

/** True if MergeXO signed this status comment, even if somebody changed its text later. */
function verifyStatus(keys: SigningKeys, issue: Issue, { body }: Pick<IssueComment, 'body'>): boolean {
  const proof = verifyBody(body, placeOf(issue), keys);
  const id = computeStatusId({ repoId: issue.repo.id, issueNumber: issue.issueNumber });
  return proof?.meta.kind === STATUS_KIND && proof.meta.cause === id;
}

/** Maximum age of a known list of comments in which MergeXO searches for a comment of an earlier database. */
const KNOWN_MS = 3_600_000;

type Tools = {
  github: Pick<GitHub, 'fetchThread' | 'refreshThread'>;
  keys: SigningKeys;
  viewer: Self;
};

/**
 * Searches the complete thread for the status comment, even if somebody edited it. The oldest one counts. If this
 * database has never sent the comment, GitHub has it only from before a database loss, and a known list shows it too.
 */
export async function findStatus(
  { github, keys, viewer }: Tools,
  issue: Issue,
  { state }: Pick<StatusComment, 'state'>,
): Promise<number | undefined> {
  const { fullName } = issue.repo.config;
  const { comments } =
    state === 'sending'
      ? await github.fetchThread(fullName, issue.issueNumber)
      : await github.refreshThread(fullName, issue.issueNumber, KNOWN_MS);
  const ours = comments.filter(
    (comment) => viewer.ids.has(comment.author.id) && verifyStatus(keys, issue, comment),
  );
  return ours.map(({ id }) => id).sort((a, b) => a - b)[0];
}
