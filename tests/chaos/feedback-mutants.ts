/** A deliberate bug. Each edit replaces a text that occurs once in a built file. */
export type Mutant = { name: string; edits: readonly Edit[] };
export type Edit = { file: string; search: string; replacement: string };

const SEND = 'apps/poller/dist/outbox/send-action.js';
const CONTEXT = 'apps/poller/dist/outbox/read-post-context.js';
const COMMENTS = 'apps/poller/dist/outbox/posts/comment-posts.js';
const CHECK = 'apps/poller/dist/outbox/check-before-posting.js';
const LEDGER = 'apps/poller/dist/ledger/answer-ledger.js';
const ANSWER = 'apps/poller/dist/ledger/build-answer.js';
const TAKE_IN = 'apps/poller/dist/threads/record-remark.js';
const OWNERSHIP = 'apps/poller/dist/threads/find-ownership.js';
const LIST = 'apps/poller/dist/threads/list-pull.js';
const FEED = 'apps/poller/dist/watch/read-feed.js';

/** Deliberate bugs that the checker must find. A loader applies them on import, so production code has no switch. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'comments are recognized by a text that a retry changes',
    edits: [
      {
        file: COMMENTS,
        search: 'const body = signBody(words, { meta, place, keys });\n    const isIt = (text) => {',
        replacement:
          'const body = signBody(words + action.sends, { meta, place, keys });\n    const isIt = (text) => { if (text !== body) return false;',
      },
    ],
  },
  {
    name: 'any well-formed marker counts as MergeXO’s own',
    edits: [
      {
        file: 'packages/core/dist/outbox/marker.js',
        search: 'if (!known)\n        return undefined;',
        replacement: '',
      },
    ],
  },
  {
    name: 'the author alone identifies MergeXO’s comments',
    edits: [
      {
        file: OWNERSHIP,
        search: 'if (proof === undefined || !viewer.ids.has(remark.author.id))',
        replacement:
          "if (viewer.ids.has(remark.author.id)) return { ownership: 'ours', intact: true };\n    if (proof === undefined || !viewer.ids.has(remark.author.id))",
      },
    ],
  },
  {
    name: 'events count as processed when the plan is frozen',
    edits: [
      {
        file: LEDGER,
        search: 'state.recordPlan(turn.turnKey, parcel);',
        replacement:
          'state.recordPlan(turn.turnKey, parcel);\n    for (const event of state.listEventsOfFeedbackTurn(turn.turnKey)) state.markEventProcessed(event, now());',
      },
    ],
  },
  {
    name: 'stale attempts are not fenced off',
    edits: [
      {
        file: 'packages/core/dist/ledger/step.js',
        search: 'if (attempt !== attemptOf(turn)) {',
        replacement: 'if (false) {',
      },
    ],
  },
  {
    name: 'the cursor is saved before the rows',
    edits: [
      {
        file: FEED,
        search: 'state.transaction(() => {\n            feed.apply(rows);',
        replacement: [
          'state.transaction(() => state.saveFeed({ repoId: repo.id, name: feed.name, cursor: next, etag: next === cursor ? page.etag : null }, now()));',
          "failpoint('poller:cursor-moved');",
          'state.transaction(() => { feed.apply(rows);',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'the cursor is saved before the rows, and without overlap',
    edits: [
      {
        file: FEED,
        search: 'state.transaction(() => {\n            feed.apply(rows);',
        replacement: [
          'const newest = Math.max(0, ...page.rows.map((row) => Date.parse(row.updatedAt)));',
          "const ahead = new Date(newest + 1_000).toISOString().replace(/\\.\\d+Z$/, 'Z');",
          'state.transaction(() => state.saveFeed({ repoId: repo.id, name: feed.name, cursor: ahead, etag: null }, now()));',
          "failpoint('poller:cursor-moved');",
          'state.transaction(() => { feed.apply(rows);',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'only the first page of a list is read',
    edits: [
      {
        file: 'packages/github/dist/http/pages.js',
        search: 'next !== null && rows < limit',
        replacement: 'next !== null && rows < limit && false',
      },
    ],
  },
  {
    name: 'the visibility window is zero',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: 'facts.quietMs < facts.windowMs',
        replacement: 'facts.quietMs < 0',
      },
    ],
  },
  {
    name: 'an unknown outcome counts as failed',
    edits: [
      {
        file: 'apps/poller/dist/outbox/handle-failure.js',
        search: "case 'invalid-data':\n            outbox.log.warn",
        replacement:
          "case 'invalid-data':\n            keepPlanned(outbox, action);\n            outbox.log.warn",
      },
    ],
  },
  {
    name: 'sending is not recorded before the request',
    edits: [
      {
        file: SEND,
        search: 'const claimed = markSending(outbox, action, post.token);',
        replacement: 'const claimed = { ...action, sends: action.sends + 1 };',
      },
    ],
  },
  {
    name: 'edits are ignored',
    edits: [
      {
        file: TAKE_IN,
        search: 'if (remark === undefined)',
        replacement: 'if (last !== undefined)',
      },
    ],
  },
  {
    name: 'comments missing from a list count as deleted',
    edits: [{ file: LIST, search: 'if (found === null)', replacement: '' }],
  },
  {
    name: 'rewritten history is accepted',
    edits: [
      {
        file: 'apps/poller/dist/threads/check-head.js',
        search: 'const { acceptedHeadSha: expectedSha, acceptedAt } = pull;',
        replacement:
          "const { acceptedHeadSha: expectedSha, acceptedAt } = pull;\n    if (observedSha) return { kind: 'grown' };",
      },
    ],
  },
  {
    name: 'a stale head is mistaken for rewritten history',
    edits: [
      {
        file: 'packages/core/dist/feedback/decide-lineage.js',
        search: "comparison === 'behind' && isWithin(read.windowMs, 0, read.sinceAcceptedMs)",
        replacement: 'false',
      },
    ],
  },
  {
    name: 'a command is run each time it is read',
    edits: [
      {
        file: TAKE_IN,
        search: 'if (remark === undefined)\n        return;',
        replacement: [
          'if (remark === undefined) {',
          "if (read.body !== '/mergexo status') return;",
          "const again = { command: { kind: 'status' }, isOperator: true, said, remark: { ...read, updatedAt: String(now()) } };",
          'return runPullCommand(tools, repo, pull, again);',
          '}',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'the next attempt does not get the frozen plan',
    edits: [{ file: ANSWER, search: 'frozen: state.readPlan(turnKey),', replacement: 'frozen: null,' }],
  },
  {
    name: 'a turn posts before its push',
    edits: [
      {
        file: CONTEXT,
        search: "isLive(turn) && turn.state !== 'speaking'",
        replacement: "isLive(turn) && turn.state !== 'speaking' && turn.state !== 'frozen'",
      },
      {
        file: SEND,
        search: "action.turnKey !== null && state.readTurn(action.turnKey)?.state !== 'speaking'",
        replacement: 'false',
      },
      {
        file: CHECK,
        search: "known === undefined || speaking?.state !== 'speaking'",
        replacement: 'known === undefined || speaking === undefined',
      },
    ],
  },
  {
    name: 'a turn that ends early requeues its answered events',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/end-turn.js',
        search: 'if (answered.has(event.eventKey))',
        replacement: 'if (false)',
      },
    ],
  },
  {
    name: 'the poller posts without checking for a closed pull request',
    edits: [
      {
        file: CHECK,
        search: '{ status, isTakenOver, head }',
        replacement: "{ status: 'open', isTakenOver, head }",
      },
    ],
  },
  {
    name: 'the poller retries a failed post without searching for it',
    edits: [
      {
        file: SEND,
        search: 'if (await checkBeforePosting(outbox, action, context))',
        replacement: "if (action.state === 'sending' || (await checkBeforePosting(outbox, action, context)))",
      },
    ],
  },
  {
    name: 'the poller posts without checking for a takeover',
    edits: [
      {
        file: CHECK,
        search: 'hasLabel(details.labels, labels.ignore) || isIgnored(known)',
        replacement: 'false',
      },
    ],
  },
  {
    name: 'a reopened pull request loses its waiting comments',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/close-pull.js',
        search: "state.reviveEvents(repoId, prNumber, { code: 'pull_ended', status: 'closed' });",
        replacement: '',
      },
    ],
  },
  {
    name: 'after a database loss, the answers named in MergeXO’s comments are ignored',
    edits: [
      {
        file: LIST,
        search: 'if (isAnsweredBy(answered, { eventKey: event.eventKey, body: event.payload.body }))',
        replacement: 'if (false)',
      },
    ],
  },
  {
    name: 'users who are not allowed are answered',
    edits: [
      {
        file: 'packages/core/dist/runs/decide-intake.js',
        search: 'return isAllowed ? undefined :',
        replacement: 'return isAllowed || true ? undefined :',
      },
    ],
  },
];
