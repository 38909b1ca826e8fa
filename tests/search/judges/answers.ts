import { createHash } from 'node:crypto';
import { nameText } from '../world/agent.js';
import { ALLOWED } from '../world/constants.js';
import type { Judge } from './judge.js';
import { listCounted } from './posts-once.js';
import { type Comment, isWithin, type OwnComment, type Story, type Version } from './story.js';

type Claim = { key: string; stamp: string; by: OwnComment };

/** Lists the events that each post answers, as named in its signed line. */
function listClaims(posts: readonly OwnComment[]): Claim[] {
  return posts.flatMap((by) =>
    (by.meta['events'] ?? '')
      .split(',')
      .filter((claim) => claim !== '')
      .map((claim) => {
        const [kind, id, ...stamp] = claim.split(':');
        return { key: `${kind}:${id}`, stamp: stamp.join(':'), by };
      }),
  );
}

/** Edits may share a second, and edits of reviews have no time, so the digest or the quoted text decides. */
function findMeant({ kind, versions }: Comment, { stamp, by }: Claim): Version | undefined {
  const [time, digest] = stamp.split('+');
  const meant = versions.filter((version) => kind === 'review_summary' || version.stamp === time);
  if (digest !== undefined) return meant.find(({ body }) => digestOf(body) === digest);
  const named = new Set<string | undefined>(by.versions[0]?.body.match(/Remark number \d+/g));
  return meant.find(({ body }) => named.has(nameText(body))) ?? meant[0];
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8);
}

function claimsOf(story: Story, posts: readonly OwnComment[]) {
  return listClaims(posts)
    .filter(({ key }) => !key.startsWith('ci:'))
    .map((claim) => {
      const comment = story.theirs.find(({ kind, id }) => `${kind}:${id}` === claim.key);
      return { claim, comment, version: comment && findMeant(comment, claim) };
    });
}

/** Each text of a trusted person gets at most one answer, in its own thread, and nobody else gets one. */
export const answersOnce: Judge = ({ story }) => {
  const answered = new Set<string>();
  return claimsOf(story, listCounted(story)).flatMap(({ claim, comment, version }) => {
    const { key, by } = claim;
    if (comment === undefined || version === undefined)
      return [`${by.id} answers ${key}, which nobody posted`];
    if (!ALLOWED.includes(comment.posted.by)) return [`${by.id} answers ${key} of ${comment.posted.by}`];
    const root = comment.inReplyToId ?? comment.id;
    if (by.kind === 'review' && by.inReplyToId !== root) return [`${by.id} answers ${key} in another thread`];
    const text = `${key} ${version.body}`;
    if (answered.has(text)) return [`answered twice: ${key}, the last time in ${by.id}`];
    answered.add(text);
    return [];
  });
};

/** The last text of every comment of a trusted person on an open pull request is answered in the end. */
export const answersAll: Judge = ({ story, played, world }) => {
  const answered = new Set(
    claimsOf(story, story.own).map(({ claim, version }) => `${claim.key} ${version?.body}`),
  );
  const blocked = played.blocked;
  return story.theirs.flatMap((comment) => {
    const { posted, versions, goneAt, number, kind, id, seq } = comment;
    const last = versions.at(-1);
    if (goneAt !== undefined || last === undefined || last.body === '' || !ALLOWED.includes(posted.by))
      return [];
    if (posted.text === 'command' || last.body.startsWith('/mergexo')) return [];
    const pull = story.pulls.find((one) => one.number === number);
    if (pull === undefined || pull.userId !== world.twin.userId('robot') || blocked.has(number)) return [];
    const isOver = story.closed.some((span) => span.number === number && span.to === undefined);
    const wasOff = [...story.closed, ...takeoversOf(story, number)].some(
      (span) => (span.number === number || span.number === story.issueOf(number)) && isWithin(span, last.seq),
    );
    if (isOver || wasOff || seq < pull.seq) return [];
    if (answered.has(`${kind}:${id} ${last.body}`)) return [];
    return [
      `never answered: ${kind}:${id} of ${posted.by} on #${number}: ${JSON.stringify(last.body.slice(0, 50))}`,
    ];
  });
};

/** Takeovers of a pull request, on itself or on its issue. */
export function takeoversOf({ takenOver, issueOf }: Story, number: number) {
  return takenOver.filter((span) => span.number === number || span.number === issueOf(number));
}
