import type { HistoryEntry } from '@mergexo/github-twin';
import { z } from 'zod';
import type { Posted } from '../play/people.js';
import { IGNORE, POSTER, REPO } from '../world/constants.js';
import type { Moment, World } from '../world/world.js';

/** One version of a text on GitHub. */
export type Version = Moment & { stamp: string; body: string };
export type Comment = Moment & {
  kind: 'issue' | 'review' | 'review_summary';
  id: number;
  number: number;
  userId: number | null;
  inReplyToId: number | null;
  versions: Version[];
  /** True if anybody changed or removed it later. */
  touched: boolean;
  goneAt: number | undefined;
};
/** The fields of the `mergexo-meta` marker. */
export type Meta = Readonly<Record<string, string>>;
export type OwnComment = Comment & { meta: Meta };
export type Move = Moment & {
  branch: string;
  before: string | null;
  after: string | null;
  forced: boolean;
  by: string | null;
};
/** A period of an issue or pull request. */
export type Span = { number: number; from: Moment; to: Moment | undefined };
export type OpenedPull = Moment & { number: number; userId: number | null; headRef: string; body: string };

/**
 * What happened, as GitHub recorded it. Apart from this, judges read only git and the kind of each text that people
 * posted.
 */
export type Story = {
  own: OwnComment[];
  unsigned: Comment[];
  theirs: (Comment & { posted: Posted })[];
  moves: Move[];
  closed: Span[];
  takenOver: Span[];
  pulls: OpenedPull[];
  losses: readonly Moment[];
  violations: string[];
  issueOf(number: number): number | undefined;
};

const CommentRow = z.object({
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
  userId: z.number().nullable(),
  body: z.string().nullable(),
  state: z.enum(['open', 'closed']),
  labelIds: z.array(z.number()),
  pull: z.object({ headRef: z.string() }).nullable(),
});
const KINDS: Readonly<Record<string, Comment['kind']>> = {
  comments: 'issue',
  reviewComments: 'review',
  reviews: 'review_summary',
};
const SIGNATURE = /\n<!-- mergexo-meta:v1 (.*) -->\n<!-- mergexo-action:[0-9a-f]{64} -->$/;

export function readStory(world: World, posted: readonly Posted[]): Story {
  const { twin } = world;
  const history = twin.history.list();
  const theirs = new Map(posted.map((entry) => [`${entry.kind}:${entry.id}`, entry]));
  const comments = readComments(history);
  const ours = comments.filter(
    (comment) => comment.userId === twin.userId(POSTER) && !theirs.has(`${comment.kind}:${comment.id}`),
  );
  const signed = ours.map((comment) => ({ ...comment, meta: readMeta(comment.versions[0]?.body ?? '') }));
  const ignore = twin.world.store.labels.find(({ name }) => name === IGNORE)?.id ?? 0;
  const pulls = readPulls(history);
  const issues = new Map(
    pulls.map(({ number, body }) => [number, Number(/(?:Refs|Fixes) #(\d+)/.exec(body)?.[1])]),
  );
  return {
    own: signed.flatMap(({ meta, ...rest }) => (meta === undefined ? [] : [{ ...rest, meta }])),
    // A review that only carries replies has no text, and a comment that begins a thread is signed by its review.
    unsigned: signed.filter(
      ({ meta, versions, kind, inReplyToId }) =>
        meta === undefined && versions[0]?.body !== '' && !(kind === 'review' && inReplyToId === null),
    ),
    theirs: comments.flatMap((comment) => {
      const entry = theirs.get(`${comment.kind}:${comment.id}`);
      return entry === undefined ? [] : [{ ...comment, posted: entry }];
    }),
    moves: readMoves(history),
    closed: readSpans(history, ({ state }) => state === 'closed'),
    takenOver: readSpans(history, ({ labelIds }) => labelIds.includes(ignore)),
    pulls,
    losses: world.losses,
    violations: twin.control.violations(),
    issueOf: (number) => issues.get(number),
  };
}

function readComments(history: readonly HistoryEntry[]): Comment[] {
  const comments = new Map<string, Comment>();
  for (const entry of history) {
    const kind = entry.kind === 'write' ? KINDS[entry.table] : undefined;
    if (entry.kind !== 'write' || kind === undefined) continue;
    const row = CommentRow.parse(entry.row);
    const moment = { seq: entry.seq, at: Date.parse(entry.at) };
    const key = `${kind}:${row.id}`;
    const known: Comment = comments.get(key) ?? {
      ...{ kind, id: row.id, number: row.number, userId: row.userId, inReplyToId: row.inReplyToId ?? null },
      ...{ ...moment, versions: [], touched: false, goneAt: undefined },
    };
    const isGone = entry.op === 'delete' || row.deleted === true;
    const isEdit = known.versions.length > 0 && known.versions.at(-1)?.body !== row.body;
    if (!isGone && (isEdit || known.versions.length === 0))
      known.versions.push({ ...moment, stamp: row.updatedAt ?? '', body: row.body });
    known.touched ||= isGone || isEdit;
    if (isGone) known.goneAt ??= entry.seq;
    comments.set(key, known);
  }
  return [...comments.values()];
}

function readMeta(body: string): Meta | undefined {
  const [, fields] = SIGNATURE.exec(body) ?? [];
  return fields && Object.fromEntries(fields.split(' ').map((field) => field.split('=', 2)));
}

function readMoves(history: readonly HistoryEntry[]): Move[] {
  return history.flatMap((entry) => {
    if (entry.kind !== 'ref' || entry.repo !== REPO || !entry.ref.startsWith('refs/heads/')) return [];
    const { before, after, forced, seq, by } = entry;
    return [{ branch: entry.ref.slice(11), before, after, forced, seq, by, at: Date.parse(entry.at) }];
  });
}

type IssueFacts = z.infer<typeof IssueRow>;

function readSpans(history: readonly HistoryEntry[], isIn: (row: IssueFacts) => boolean): Span[] {
  const spans: Span[] = [];
  const open = new Map<number, Span>();
  for (const entry of history) {
    if (entry.kind !== 'write' || entry.table !== 'issues') continue;
    const row = IssueRow.parse(entry.row);
    const moment = { seq: entry.seq, at: Date.parse(entry.at) };
    const span = open.get(row.number);
    if (isIn(row) && span === undefined) {
      const started: Span = { number: row.number, from: moment, to: undefined };
      open.set(row.number, started);
      spans.push(started);
    } else if (!isIn(row) && span !== undefined) {
      span.to = moment;
      open.delete(row.number);
    }
  }
  return spans;
}

function readPulls(history: readonly HistoryEntry[]): OpenedPull[] {
  const seen = new Set<number>();
  return history.flatMap((entry) => {
    if (entry.kind !== 'write' || entry.table !== 'issues') return [];
    const { number, userId, body, pull } = IssueRow.parse(entry.row);
    if (pull === null || seen.has(number)) return [];
    seen.add(number);
    return [
      { seq: entry.seq, at: Date.parse(entry.at), number, userId, headRef: pull.headRef, body: body ?? '' },
    ];
  });
}

export function isWithin({ from, to }: Span, seq: number): boolean {
  return from.seq < seq && (to === undefined || to.seq > seq);
}
