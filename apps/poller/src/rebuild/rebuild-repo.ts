import { looksSigned, type Meta, verifyBody } from '@mergexo/core/outbox';
import { parseRunName } from '@mergexo/core/runs';
import type { Issue, PullRequest } from '@mergexo/github';
import { findIssue } from '../threads/find-issue.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { rebuildPull } from './rebuild-pull.js';
import { rebuildWait } from './rebuild-wait.js';

/** Maximum number of closed pull requests to read. Older ones need no further work. */
const MAX_CLOSED = 300;

/**
 * Rebuilds runs, pull requests and replies from the signed fields of our posts on GitHub, so that an empty database
 * does not make MergeXO repeat work or replies. Safe to interrupt and repeat.
 */
export async function rebuildRepo(
  tools: ListTools,
  repo: Repo,
  { labelled, proofs, onFound }: { labelled: readonly Issue[]; proofs: Proof[]; onFound: () => void },
): Promise<'rebuilt' | 'secret-lost'> {
  if (isSecretLost(proofs)) return 'secret-lost';
  // Rebuilds the oldest pull request first, to keep the original order.
  for (const { pull, meta } of proofs.sort((a, b) => a.pull.number - b.pull.number)) {
    const name = parseRunName(meta?.run ?? '');
    if (name === undefined) continue;
    onFound();
    await rebuildPull(tools, repo, { pull, meta, name });
  }
  const issues = [...labelled, ...(await fetchDesigned(tools, repo, { proofs, labelled }))];
  for (const issue of issues.filter(({ commentCount }) => commentCount > 0))
    await rebuildWait(tools, repo, { issue, onFound });
  return 'rebuilt';
}

export type Proof = { pull: PullRequest; meta: Meta | undefined };

export const fetchPulls = ({ github }: Pick<ListTools, 'github'>, repo: Repo): Promise<PullRequest[]> =>
  github.fetchKnownPulls(repo.config.fullName, MAX_CLOSED);

/** Returns our own pull requests, with the signed fields of their bodies. */
export function listOwnPulls(tools: ListTools, repo: Repo, pulls: readonly PullRequest[]): Proof[] {
  return pulls
    .filter((pull) => isOwn(tools, repo, pull))
    .map((pull) => ({ pull, meta: readFooter(tools, repo, pull) }));
}

/** True if our login opened the pull request from an `agent/` branch. The caller must verify the footer. */
export function isOwn(
  { viewer }: ListTools,
  repo: Repo,
  { headRepoId, headRef, author }: PullRequest,
): boolean {
  return headRepoId === repo.id && headRef.startsWith('agent/') && viewer.ids.has(author.id);
}

/** Returns open issues with a merged design. Their implementations may wait for a reply, but have no label. */
async function fetchDesigned(
  { github }: ListTools,
  repo: Repo,
  { proofs, labelled }: { proofs: readonly Proof[]; labelled: readonly Issue[] },
): Promise<Issue[]> {
  const known = new Set(labelled.map(({ number }) => number));
  const numbers = proofs
    .filter(({ pull }) => pull.status === 'merged')
    .flatMap(({ meta }) => parseRunName(meta?.run ?? '') ?? [])
    .filter(({ flow, issueNumber }) => flow === 'design_doc' && !known.has(issueNumber))
    .map(({ issueNumber }) => issueNumber);
  const found: Issue[] = [];
  for (const number of new Set(numbers)) {
    const issue = await findIssue(github, repo, number);
    if (issue?.open) found.push(issue);
  }
  return found;
}

export function readFooter({ keys }: ListTools, repo: Repo, pull: PullRequest): Meta | undefined {
  const place = { repoId: repo.id, thread: `branch:${pull.headRef}` };
  return verifyBody(pull.body, place, keys)?.meta;
}

/** True if pull requests are signed, but none with a known key. A new secret would make MergeXO repeat every post. */
function isSecretLost(proofs: readonly Proof[]): boolean {
  const hasForeign = proofs.some(({ pull, meta }) => meta === undefined && looksSigned(pull.body));
  return hasForeign && proofs.every(({ meta }) => meta === undefined);
}
