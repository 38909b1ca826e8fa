import type { HistoryEntry } from '@mergexo/github-twin';
import { z } from 'zod';
import type { Activity } from './feedback-schedule.js';
import { type FeedbackWorld, IGNORE, type Moment, REPO } from './feedback-world.js';

const Row = z.object({
  id: z.number(),
  number: z.number(),
  userId: z.number().nullable(),
  body: z.string(),
  updatedAt: z.string().optional(),
  inReplyToId: z.number().nullish(),
  deleted: z.boolean().optional(),
});
const IssueRow = z.object({
  number: z.number(),
  state: z.enum(['open', 'closed']),
  labelIds: z.array(z.number()),
});

const KINDS: Record<string, string> = {
  comments: 'issue',
  reviewComments: 'review',
  reviews: 'review_summary',
};

/** One version of a comment's or review's text. */
export type Version = Moment & { stamp: string; body: string };

export type Comment = {
  kind: string;
  id: number;
  prNumber: number;
  userId: number | null;
  inReplyToId: number | null;
  seq: number;
  at: number;
  versions: Version[];
  /** True if anyone except the author changed or removed the comment. */
  touched: boolean;
  deleted: boolean;
  /** When the comment was removed. Undefined while it exists. */
  goneAt: number | undefined;
};

/** The fields of the `mergexo-meta` marker in MergeXO's posts. */
export type Meta = Record<string, string>;
/** `unseen` is true if the comment was removed before any request could have read it. */
export type OwnComment = Comment & { meta: Meta; unseen: boolean };
export type Move = Moment & {
  branch: string;
  before: string | null;
  after: string | null;
  forced: boolean;
};

/** A period on a pull request. `to` is undefined if the period has not ended. */
export type Span = { prNumber: number; from: Moment; to: Moment | undefined };

export type Story = {
  ownComments: OwnComment[];
  theirs: Comment[];
  unsigned: Comment[];
  moves: Move[];
  /** Periods in which pull requests were closed. */
  closed: Span[];
  /** Periods in which people had taken over pull requests. */
  takenOver: Span[];
};

/** Reads the whole history from GitHub. The record of people's posts distinguishes their comments from MergeXO's. */
export function readStory(world: FeedbackWorld, { posted }: Activity): Story {
  const history = world.twin.history.list();
  const numbers = new Set(world.pulls.map(({ prNumber }) => prNumber));
  const comments = readComments(history).filter(({ prNumber }) => numbers.has(prNumber));
  const human = new Set(posted.map(({ kind, id }) => `${kind}:${id}`));
  const ourId = world.twin.userId(world.poster);
  const ignoreId = world.twin.world.store.labels.find(({ name }) => name === IGNORE)?.id;
  const isOurs = ({ kind, id, userId }: Comment): boolean =>
    userId === ourId && !human.has(`${kind}:${id}`) && kind !== 'review_summary';
  const signed = comments.filter(isOurs).map((comment) => ({
    ...comment,
    meta: readMeta(comment.versions[0]?.body ?? ''),
    unseen: isUnseen(history, comment, world.poster),
  }));
  return {
    ownComments: signed.flatMap(({ meta, ...rest }) => (meta === undefined ? [] : [{ ...rest, meta }])),
    unsigned: signed.filter(({ meta }) => meta === undefined),
    theirs: comments.filter(({ kind, id }) => human.has(`${kind}:${id}`)),
    moves: readMoves(history),
    closed: readSpans(history, ({ state }) => state === 'closed'),
    takenOver: readSpans(history, ({ labelIds }) => labelIds.includes(ignoreId ?? 0)),
  };
}

function isUnseen(history: readonly HistoryEntry[], { seq, goneAt }: Comment, login: string): boolean {
  if (goneAt === undefined) return false;
  const isLook = (entry: HistoryEntry): boolean =>
    entry.kind === 'request' && entry.user === login && entry.method === 'GET';
  return !history.some((entry) => entry.seq > seq && entry.seq < goneAt && isLook(entry));
}

function readComments(history: readonly HistoryEntry[]): Comment[] {
  const comments = new Map<string, Comment>();
  for (const entry of history) {
    const kind = entry.kind === 'write' ? KINDS[entry.table] : undefined;
    if (entry.kind !== 'write' || kind === undefined) continue;
    const row = Row.parse(entry.row);
    const at = Date.parse(entry.at);
    const key = `${kind}:${row.id}`;
    const known = comments.get(key) ?? {
      kind,
      id: row.id,
      prNumber: row.number,
      userId: row.userId,
      inReplyToId: row.inReplyToId ?? null,
      seq: entry.seq,
      at,
      versions: [],
      touched: false,
      deleted: false,
      goneAt: undefined,
    };
    const isGone = entry.op === 'delete' || row.deleted === true;
    const isEdit = known.versions.length > 0 && known.versions.at(-1)?.body !== row.body;
    comments.set(key, {
      ...known,
      versions: isGone
        ? known.versions
        : [...known.versions, { stamp: row.updatedAt ?? '', body: row.body, seq: entry.seq, at }],
      touched: known.touched || isGone || isEdit,
      deleted: known.deleted || isGone,
      goneAt: known.goneAt ?? (isGone ? entry.seq : undefined),
    });
  }
  return [...comments.values()];
}

function readMeta(body: string): Meta | undefined {
  const [, fields] =
    /\n<!-- mergexo-meta:v1 (.*) -->\n<!-- mergexo-action:[0-9a-f]{64} -->$/.exec(body) ?? [];
  return fields && Object.fromEntries(fields.split(' ').map((field) => field.split('=', 2)));
}

function readMoves(history: readonly HistoryEntry[]): Move[] {
  return history.flatMap((entry) => {
    if (entry.kind !== 'ref' || entry.repo !== REPO || !entry.ref.startsWith('refs/heads/agent/')) return [];
    const { before, after, forced, seq } = entry;
    return [
      { branch: entry.ref.slice('refs/heads/'.length), before, after, forced, seq, at: Date.parse(entry.at) },
    ];
  });
}

function readSpans(
  history: readonly HistoryEntry[],
  isSo: (row: z.infer<typeof IssueRow>) => boolean,
): Span[] {
  const spans: Span[] = [];
  for (const entry of history) {
    if (entry.kind !== 'write' || entry.table !== 'issues') continue;
    const row = IssueRow.parse(entry.row);
    const moment = { seq: entry.seq, at: Date.parse(entry.at) };
    const known = spans.find(({ prNumber, to }) => prNumber === row.number && to === undefined);
    if (known === undefined && isSo(row)) spans.push({ prNumber: row.number, from: moment, to: undefined });
    if (known !== undefined && !isSo(row)) known.to = moment;
  }
  return spans;
}

export function isWithin({ from, to }: Span, seq: number): boolean {
  return seq > from.seq && seq < (to?.seq ?? Number.POSITIVE_INFINITY);
}
