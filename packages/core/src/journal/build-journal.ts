import { EVENT_KINDS } from '../feedback/remark.js';
import type { Redact } from '../text/secrets/redact.js';
import { createNames, type Names } from './create-names.js';
import { JOURNAL_VERSION, type Journal, JournalEntry } from './journal.js';
import type { JournalRows } from './journal-rows.js';
import { readFacts, readTexts } from './read-payload.js';

type Options = {
  now: number;
  /** Includes the texts of issues, comments and reasons. */
  withTexts: boolean;
  /** Includes logins instead of names such as `person-1`. */
  withLogins: boolean;
  /** Further logins to hide, such as those in the config. */
  logins: readonly string[];
  redact: Redact;
};

/**
 * Converts an installation's records into a journal, ordered by time and without names of people, repositories or
 * branches.
 */
export function buildJournal(rows: JournalRows, options: Options): Journal {
  const { now, withTexts, withLogins, redact } = options;
  const logins = [
    ...options.logins,
    ...rows.repositories.map(({ owner }) => owner),
    ...rows.remarks.flatMap(({ author }) => author ?? []),
    ...rows.events
      .flatMap(({ payload }) => readTexts(payload))
      .flatMap(([key, text]) => (key === 'by' ? text : [])),
  ];
  const names = createNames({ logins, keepLogins: withLogins });
  const toText = (text: string): string => names.hideLogins(redact(text)).slice(0, 200_000);
  const tools: Tools = {
    names,
    toText: withTexts ? toText : undefined,
    repoOf: nameRepositories(rows, names),
  };
  const entries = [
    ...rows.runs.map((row) => toRun(row, tools)),
    ...toComments(rows.remarks, tools),
    ...rows.turns.map((row) => toTurn(row, tools)),
    ...rows.actions.map((row) => toAction(row, tools)),
    ...rows.events.map((row) => toEvent(row, tools)),
  ];
  return {
    header: {
      journal: 'mergexo',
      version: JOURNAL_VERSION,
      created_at: now,
      texts: withTexts,
      logins: withLogins,
    },
    entries: entries.map((entry) => JournalEntry.parse(entry)).sort((a, b) => a.at - b.at),
  };
}

type Tools = {
  names: Names;
  /** Undefined if the journal has no texts. */
  toText: ((text: string) => string) | undefined;
  repoOf(id: number | null): string | null;
};
type Row<Key extends keyof JournalRows> = JournalRows[Key][number];

function nameRepositories({ repositories }: JournalRows, names: Names): Tools['repoOf'] {
  for (const { id } of repositories) names.nameOf('repo', String(id));
  return (id) => (id === null ? null : names.nameOf('repo', String(id)));
}

const nameTurn = ({ names }: Tools, key: string | null): string | null =>
  key === null ? null : names.nameOf('turn', key);

const toCode = (text: string | null): string | null =>
  text !== null && /^[a-z][a-z0-9_-]{0,59}$/.test(text) ? text : null;

function toRun(row: Row<'runs'>, { repoOf, toText }: Tools): JournalEntry {
  return {
    kind: 'run',
    at: row.createdAt,
    repo: repoOf(row.repoId),
    issue: row.issueNumber,
    flow: row.flow,
    ordinal: row.ordinal,
    status: row.status,
    hold: toCode(row.hold),
    end: toCode(row.end),
    pr: row.prNumber,
    ...(toText && { title: toText(row.title) }),
  };
}

function toComments(rows: JournalRows['remarks'], tools: Tools): JournalEntry[] {
  const { names, repoOf, toText } = tools;
  const versions = new Map<string, number>();
  const nameComment = (row: Row<'remarks'>, kind: string, id: number | null): string | null =>
    id === null ? null : names.nameOf('comment', `${row.repoId}:${kind}:${id}`);
  return rows.map((row): JournalEntry => {
    const comment = nameComment(row, row.kind, row.commentId) ?? '';
    const version = (versions.get(comment) ?? 0) + 1;
    versions.set(comment, version);
    return {
      kind: 'comment',
      at: row.seenAt,
      written_at: readTime(version === 1 ? row.createdAt : row.updatedAt),
      repo: repoOf(row.repoId),
      thread: row.thread,
      form: EVENT_KINDS.find((kind) => kind === row.kind) ?? 'issue',
      comment,
      version,
      author: names.nameOf('person', row.author || 'nobody'),
      trust: toTrust(row.skip),
      reply_to: nameComment(row, 'review', row.inReplyToId),
      review: nameComment(row, 'review_summary', row.reviewId),
      review_state: toCode(row.reviewState),
      turn: nameTurn(tools, row.turnKey),
      skip: toCode(row.skip),
      processed_at: row.processedAt,
      ...(toText && { text: toText(row.body ?? '') }),
    };
  });
}

function toTrust(skip: string | null): Extract<JournalEntry, { kind: 'comment' }>['trust'] {
  if (skip === 'ours' || skip === 'copy_of_ours') return 'ours';
  return skip === 'bot' || skip === 'not_allowed' ? skip : 'allowed';
}

/** Parses GitHub's time, without the digest that distinguishes edits within a second. */
function readTime(text: string): number | null {
  const time = Date.parse(text.split('+')[0] ?? '');
  return Number.isNaN(time) || time < 0 ? null : time;
}

function toTurn(row: Row<'turns'>, tools: Tools): JournalEntry {
  return {
    kind: 'turn',
    at: row.openedAt,
    repo: tools.repoOf(row.repoId),
    turn: nameTurn(tools, row.turnKey) ?? '',
    turn_kind: row.kind,
    issue: row.issueNumber,
    pr: row.prNumber,
    state: row.state,
    attempts: row.attempts,
    crashes: row.crashes,
    agent_failures: row.agentFailures,
    infrastructure_failures: row.infrastructureFailures,
    ended_at: row.endedAt,
    ...(tools.toText && row.reason !== null && { reason: tools.toText(row.reason) }),
  };
}

function toAction(row: Row<'actions'>, tools: Tools): JournalEntry {
  return {
    kind: 'action',
    at: row.createdAt,
    repo: tools.repoOf(row.repoId),
    turn: nameTurn(tools, row.turnKey),
    thread: row.thread,
    action: row.kind,
    state: row.state,
    sends: row.sends,
    end: toCode(row.end),
    changed_at: row.updatedAt,
  };
}

function toEvent(row: Row<'events'>, tools: Tools): JournalEntry {
  const { toText } = tools;
  const [, kind = '', id = ''] = row.eventKey?.split(':') ?? [];
  return {
    kind: 'event',
    at: row.createdAt,
    repo: tools.repoOf(row.repoId),
    type: row.type,
    issue: row.issueNumber,
    pr: row.prNumber,
    turn: nameTurn(tools, row.turnKey),
    comment: row.eventKey === null ? null : tools.names.nameOf('comment', `${row.repoId}:${kind}:${id}`),
    facts: readFacts(row.payload),
    ...(toText && {
      texts: Object.fromEntries(readTexts(row.payload).map(([key, text]) => [key, toText(text)])),
    }),
  };
}
