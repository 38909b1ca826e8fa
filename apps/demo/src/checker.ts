import type { Twin } from '@mergexo/github-twin';
import { REPO } from './stage.js';

export type Tally = Awaited<ReturnType<typeof tally>>;

type Row = { id: number; body: string; user: { login: string }; in_reply_to_id?: number };

/** Counts only data of the offline GitHub and its history, so that our database cannot hide a loss. */
export async function tally(twin: Twin, pulls: readonly number[]) {
  const you = twin.as('you');
  const list = async (path: string): Promise<Row[]> => {
    const rows = await you.request('GET', `/repos/${REPO}/${path}?per_page=100`);
    return Array.isArray(rows) ? rows : [];
  };
  const comments: string[] = [];
  const answers: string[] = [];
  let answersOut = 0;
  let reviewsOut = 0;
  for (const pr of pulls) {
    const conversation = await list(`issues/${pr}/comments`);
    const lines = await list(`pulls/${pr}/comments`);
    const reviews = (await list(`pulls/${pr}/reviews`)).filter(({ body }) => body !== '');
    const isOurs = ({ user }: Row): boolean => user.login === 'mergexo-bot';
    comments.push(
      ...conversation.filter((row) => !isOurs(row)).map(({ id }) => `${pr}:issue:${id}`),
      ...lines.filter((row) => !isOurs(row)).map(({ id }) => `${pr}:review:${id}`),
      ...reviews.filter((row) => !isOurs(row)).map(({ id }) => `${pr}:review_summary:${id}`),
    );
    const ownComments = [...conversation, ...lines].filter(
      (row) => isOurs(row) && readAnswered(row.body).length > 0,
    );
    // A reply to a failed check does not answer a comment.
    answersOut += ownComments.filter(
      ({ body }) => !readAnswered(body).every((key) => key.startsWith('ci:')),
    ).length;
    reviewsOut += reviews.filter(isOurs).length;
    answers.push(...ownComments.flatMap(({ body }) => readAnswered(body).map((key) => `${pr}:${key}`)));
  }
  const requests = twin.history.list('request').filter(({ user }) => user === 'mergexo-bot');
  return {
    commentsIn: comments.length,
    answersOut,
    reviews: reviewsOut,
    duplicates: answers.length - new Set(answers).size,
    lost: comments.filter((key) => !answers.includes(key)).length,
    rewritten: twin.history.list('ref').filter(({ forced }) => forced).length,
    requests: requests.length,
    notModified: requests.filter(({ status }) => status === 304).length,
  };
}

/** Reads the answered events from the metadata line at the end of a reply. */
function readAnswered(body: string): string[] {
  const [, events = ''] = /<!-- mergexo-meta:v1 .*\bevents=(\S+)/.exec(body) ?? [];
  return events
    .split(',')
    .filter(Boolean)
    .map((event) => event.split(':').slice(0, 2).join(':'));
}
