import { placeOfRemark, type SigningKeys, signBody, verifyBody } from '@mergexo/core/outbox';
import { computeStatusId, STATUS_KIND } from '@mergexo/core/signs';
import type { GitHub, IssueComment } from '@mergexo/github';
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

/** Returns whether MergeXO signed this status comment. `intact`: nobody has changed its text. */
export function verifyStatus(
  keys: SigningKeys,
  issue: Issue,
  { body }: Pick<IssueComment, 'body'>,
): { intact: boolean } | undefined {
  const proof = verifyBody(body, placeOf(issue), keys);
  const id = computeStatusId({ repoId: issue.repo.id, issueNumber: issue.issueNumber });
  return proof?.meta.kind === STATUS_KIND && proof.meta.cause === id ? proof : undefined;
}

/** Searches the complete thread for the status comment, even if somebody edited it. The oldest one counts. */
export async function findStatus(
  { github, keys, viewer }: { github: Pick<GitHub, 'fetchThread'>; keys: SigningKeys; viewer: Self },
  issue: Issue,
): Promise<number | undefined> {
  const { comments } = await github.fetchThread(issue.repo.config.fullName, issue.issueNumber);
  const ours = comments.filter(
    (comment) => viewer.ids.has(comment.author.id) && verifyStatus(keys, issue, comment) !== undefined,
  );
  return ours.map(({ id }) => id).sort((a, b) => a - b)[0];
}
