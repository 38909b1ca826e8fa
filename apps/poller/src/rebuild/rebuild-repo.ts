import { looksSigned, type Meta, verifyBody } from '@mergexo/core/outbox';
import { parseRunName } from '@mergexo/core/runs';
import type { Issue, PullRequest } from '@mergexo/github';
import { findIssue } from '../threads/find-issue.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { rebuildPull } from './rebuild-pull.js';
import { rebuildWait } from './rebuild-wait.js';

/** Of the pull requests that are over, so many are looked at: older ones ask for nothing any more. */
const MAX_CLOSED = 300;

/**
 * GitHub knows what we did: our pull requests and comments say so about themselves. With an empty database the runs,
 * pull requests and answers are read back, so that nothing is begun or said a second time. It can be begun again anywhere.
 */
export async function rebuildRepo(
  tools: ListTools,
  repo: Repo,
  labelled: readonly Issue[],
  onFound: () => void,
): Promise<'rebuilt' | 'secret-lost'> {
  const proofs = await fetchOwnPulls(tools, repo);
  if (isSecretLost(proofs)) return 'secret-lost';
  // Oldest first, as they came about.
  for (const { pull, meta } of proofs.sort((a, b) => a.pull.number - b.pull.number)) {
    const name = parseRunName(meta?.run ?? '');
    if (name === undefined) continue;
    onFound();
    await rebuildPull(tools, repo, { pull, meta, name });
  }
  const issues = [...labelled, ...(await fetchDesigned(tools, repo, { proofs, labelled }))];
  for (const issue of issues.filter(({ commentCount }) => commentCount > 0))
    await rebuildWait(tools, repo, issue, onFound);
  return 'rebuilt';
}

export type Proof = { pull: PullRequest; meta: Meta | undefined };

export async function fetchOwnPulls(tools: ListTools, repo: Repo): Promise<Proof[]> {
  const pulls = await tools.github.fetchKnownPulls(repo.config.fullName, MAX_CLOSED);
  return pulls
    .filter((pull) => isOwn(tools, repo, pull))
    .map((pull) => ({ pull, meta: readFooter(tools, repo, pull) }));
}

/** Opened under our login from a branch of ours; its footer has to prove the rest. */
export function isOwn(
  { viewer }: ListTools,
  repo: Repo,
  { headRepoId, headRef, author }: PullRequest,
): boolean {
  return headRepoId === repo.id && headRef.startsWith('agent/') && viewer.ids.has(author.id);
}

/** Issues whose merged design asks for an implementation, which may have waited for an answer: no label tells of that. */
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

/** Answering under a new secret would post everything once more. */
function isSecretLost(proofs: readonly Proof[]): boolean {
  const hasForeign = proofs.some(({ pull, meta }) => meta === undefined && looksSigned(pull.body));
  return hasForeign && proofs.every(({ meta }) => meta === undefined);
}
