import type { Walk } from './walk.js';
import { REPO } from './walk.js';

/** Lists the comments, pull requests and pushes of an issue. Reads only the twin, never MergeXO's database. */
export async function fetchResults(walk: Walk, issueNumber: number) {
  const writes = walk.twin.history.list('write');
  const { alice } = walk;
  const comments = await alice.request('GET', `/repos/${REPO}/issues/${issueNumber}/comments`);
  const pulls = await alice.request('GET', `/repos/${REPO}/pulls?state=all&per_page=100`);
  const mine = list(pulls).filter((pull) => String(pull.body).includes(`#${issueNumber}\n`));
  const refs = walk.twin.history.list('ref').filter(({ ref }) => ref.includes(`/${issueNumber}-`));
  const ours = list(comments).filter((comment) => String(comment.body).includes('mergexo-action'));
  return {
    pulls: mine,
    comments: ours.filter((comment) => !isStatus(comment)),
    statuses: ours.filter(isStatus),
    pushes: refs.length,
    forced: refs.filter(({ forced }) => forced).length,
    writes: writes.length,
  };
}

const isStatus = ({ body }: Row): boolean => String(body).includes('kind=issue_status');

type Row = { body: unknown; head: { ref: string; sha: string }; number: number; title: string };

function list(answer: unknown): Row[] {
  return Array.isArray(answer) ? answer : [];
}
