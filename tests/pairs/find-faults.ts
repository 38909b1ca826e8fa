import type { Walk } from '../fleet/walk.js';
import { REPO } from '../fleet/walk.js';
import type { Flow, Results } from './flow.js';

/** The guarantee that a wrong number of results breaks. */
const GUARANTEES: Record<keyof Results, string> = {
  pulls: 'G-ONCE-2',
  pushes: 'G-ONCE-3',
  onIssues: 'G-ONCE-4',
  onPulls: 'G-ONCE-1',
  replies: 'G-ONCE-1',
  reviews: 'G-ONCE-5',
};
const RESULTS = [
  'pulls',
  'pushes',
  'onIssues',
  'onPulls',
  'replies',
  'reviews',
] as const satisfies (keyof Results)[];

/** Compares GitHub and git with the results of the flow. Never reads MergeXO's database. */
export async function findFaults(walk: Walk, flow: Flow): Promise<string[]> {
  const { results, bodies, statuses } = await readResults(walk);
  const wrong = RESULTS.filter((key) => results[key] !== flow.results[key]);
  const names = bodies.map(nameOf);
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  return [
    ...wrong.map((key) => `${GUARANTEES[key]}: ${results[key]} ${key}, not ${flow.results[key]}`),
    ...twice.map((name) => `G-ONCE-1: posted twice: ${name}`),
    ...(statuses <= 1 ? [] : [`G-ONCE-7: ${statuses} status comments`]),
    ...listPushes(walk)
      .filter(({ forced }) => forced)
      .map(({ ref }) => `G-HIST-1: the history of ${ref} was rewritten`),
    ...walk.twin.control.violations().map((violation) => JSON.stringify(violation)),
  ];
}

async function readResults(walk: Walk): Promise<{ results: Results; bodies: string[]; statuses: number }> {
  const read = async (path: string): Promise<Row[]> => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}/${path}per_page=100`);
    return Array.isArray(rows) ? rows.filter(({ body }) => `${body}`.includes('mergexo-action')) : [];
  };
  const pulls = await read('pulls?state=all&');
  const all = await read('issues/comments?');
  const comments = all.filter(({ body }) => !body.includes('kind=issue_status'));
  const replies = await read('pulls/comments?');
  const reviews = (await Promise.all(pulls.map(({ number }) => read(`pulls/${number}/reviews?`)))).flat();
  const onPulls = comments.filter(({ html_url }) => html_url.includes('/pull/'));
  return {
    results: {
      pulls: pulls.length,
      pushes: listPushes(walk).length,
      onIssues: comments.length - onPulls.length,
      onPulls: onPulls.length,
      replies: replies.length,
      reviews: reviews.length,
    },
    bodies: [...comments, ...replies, ...reviews].map(({ body }) => body),
    statuses: all.length - comments.length,
  };
}

type Row = { body: string; html_url: string; number: number };

/** Identifies a post by its signed line, without the digest of its text. */
function nameOf(body: string): string {
  const [, meta = ''] = /<!-- mergexo-meta:v1 (.*?) -->/.exec(body) ?? [];
  return meta.replace(/ ?\b(?:digest|head)=\S*/g, '');
}

function listPushes({ twin }: Walk) {
  return twin.history
    .list('ref')
    .filter(({ ref, by }) => ref.startsWith('refs/heads/agent/') && by === 'robot');
}
