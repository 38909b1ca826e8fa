import type { z } from 'zod';
import { oneLine } from '../prompts/fence.js';
import { FeedbackContext } from '../turns/feedback/feedback-context.js';
import { ReviewFixContext } from '../turns/fix/review-fix-context.js';
import { ReviewContext } from '../turns/review/review-context.js';
import { type IssueContext, type LinkedThread, StartContext } from '../turns/start/start-context.js';
import { familyOf, type TurnFamily, type TurnKind } from '../turns/turn-kind.js';
import { findUploads } from './find-uploads.js';
import { type ListedUpload, limitUploads } from './upload.js';

/** The object on GitHub that contains a text. */
export type UploadPlace =
  | { kind: 'issue' | 'pull' | 'comment' | 'review_comment'; id: number }
  | { kind: 'review'; id: number; prNumber: number };

/** An upload, and the GitHub object in which the poller finds its signed URL. */
export type PlacedUpload = ListedUpload & { place: UploadPlace };

type Spoken = { place: UploadPlace; author: string; body: string; isNew: boolean };

const MAX_SOURCE = 200;
const MARKER = /<!-- mergexo-(?:meta|action):/;

/**
 * Lists the uploads in the texts of a turn, each once, the most important first: new comments, the issue, the pull
 * request, then earlier comments from the newest to the oldest.
 */
export function listUploads(
  { kind, context }: { kind: TurnKind; context: unknown },
  { web, isTrusted }: { web: string; isTrusted: (login: string, place: UploadPlace) => boolean },
): { listed: PlacedUpload[]; omitted: number } {
  const found = new Map<string, PlacedUpload>();
  for (const { place, author, body, isNew } of TEXTS[familyOf(kind)](context)) {
    // An agent wrote this text. It could name other people's files, which the poller's token can read. Line comments of
    // MergeXO's reviews have no marker, so `isTrusted` must recognise them.
    const isOwn = MARKER.test(body);
    const source = `${describePlace(place)} by ${oneLine(author)}`.slice(0, MAX_SOURCE);
    for (const { url, isForeign } of findUploads(body, web)) {
      if (found.has(url)) continue;
      const problem = isForeign ? 'foreign_host' : isTrusted(author, place) && !isOwn ? null : 'not_allowed';
      found.set(url, { url, source, isNew, problem, place });
    }
  }
  return limitUploads([...found.values()]);
}

/** Lists no texts if the context is invalid. The worker needs the whole context and reports the error. */
function readAs<Schema extends z.ZodType>(
  schema: Schema,
  list: (context: z.infer<Schema>) => Spoken[],
): (context: unknown) => Spoken[] {
  return (context) => {
    const read = schema.safeParse(context);
    return read.success ? list(read.data) : [];
  };
}

const TEXTS: Record<TurnFamily, (context: unknown) => Spoken[]> = {
  start: readAs(StartContext, ({ issue, comments, linked, followup }) => [
    ...(followup?.comments ?? []).map((comment) => toSpoken('comment', comment, true)),
    sayIssue(issue),
    ...comments.map((comment) => toSpoken('comment', comment, false)).reverse(),
    ...linked.map(sayLinked),
  ]),
  feedback: readAs(FeedbackContext, (context) => [
    ...context.events.flatMap((event) => sayEvent(event, context.pull.number)),
    sayIssue(context.issue),
    sayPull(context.pull),
    ...context.reviewComments.map((comment) => toSpoken('review_comment', comment, false)).reverse(),
    ...context.conversation.map((comment) => toSpoken('comment', comment, false)).reverse(),
    ...context.issueComments.map((comment) => toSpoken('comment', comment, false)).reverse(),
    ...context.linked.map(sayLinked),
  ]),
  review: readAs(ReviewContext, sayReviewed),
  fix: readAs(ReviewFixContext, sayReviewed),
};

type Comment = { id: number; author: string; body: string };

function toSpoken(kind: 'comment' | 'review_comment', { id, author, body }: Comment, isNew: boolean): Spoken {
  return { place: { kind, id }, author, body, isNew };
}

type Pull = FeedbackContext['pull'];

function sayIssue({ number, author, body }: IssueContext): Spoken {
  return { place: { kind: 'issue', id: number }, author, body, isNew: false };
}

function sayPull({ number, author, body }: Pull): Spoken {
  return { place: { kind: 'pull', id: number }, author, body, isNew: false };
}

function sayLinked({ isPullRequest, number, author, body }: LinkedThread): Spoken {
  return { place: { kind: isPullRequest ? 'pull' : 'issue', id: number }, author, body, isNew: false };
}

type Reviewed = Pick<ReviewContext, 'pull' | 'issue' | 'linked' | 'discussion'>;

function sayReviewed({ pull, issue, linked, discussion }: Reviewed): Spoken[] {
  const said = discussion.entries.map(({ place, id, author, body }): Spoken => {
    const where: UploadPlace =
      place === 'review' ? { kind: place, id, prNumber: pull.number } : { kind: DISCUSSED[place], id };
    return { place: where, author, body, isNew: false };
  });
  return [sayIssue(issue), sayPull(pull), ...said.reverse(), ...linked.map(sayLinked)];
}

const DISCUSSED = { issue: 'comment', conversation: 'comment', line: 'review_comment' } as const;

/** Skips failed checks, whose texts are program output. */
function sayEvent(event: FeedbackContext['events'][number], prNumber: number): Spoken[] {
  const { kind, id, author, body } = event;
  switch (kind) {
    case 'ci':
      return [];
    case 'review_summary':
      return [{ place: { kind: 'review', id, prNumber }, author, body, isNew: true }];
    case 'review':
      return [toSpoken('review_comment', event, true)];
    case 'issue':
      return [toSpoken('comment', event, true)];
  }
}

const PLACES: Record<UploadPlace['kind'], string> = {
  issue: 'issue #',
  pull: 'pull request #',
  comment: 'comment ',
  review_comment: 'line comment ',
  review: 'review ',
};

function describePlace({ kind, id }: UploadPlace): string {
  return `${PLACES[kind]}${id}`;
}
