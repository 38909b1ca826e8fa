import type { Mutant } from '../../chaos/feedback-mutants.js';

/** Deliberate bugs in starts, follow-ups, promotion and implementation. */
export const STARTS: readonly Mutant[] = [
  {
    name: 'a pull request opens although new comments wait on the issue',
    edits: [
      {
        file: 'apps/poller/dist/outbox/gate.js',
        search: "if (isHeard || action.kind !== 'open_pull')",
        replacement: 'if (true)',
      },
    ],
  },
  {
    name: 'the gate ignores a takeover of the issue',
    edits: [
      {
        file: 'apps/poller/dist/outbox/gate.js',
        search: [
          '        if (abandonment !== undefined) {',
          '            abandonStart(tools, known, abandonment);',
          "            return 'stop';",
          '        }',
        ].join('\n'),
        replacement: '',
      },
    ],
  },
  {
    name: 'a start ignores that its issue was closed or taken over',
    edits: [
      {
        file: 'apps/poller/dist/open/open-start-turns.js',
        search: 'if (abandonment !== undefined) {',
        replacement: 'if (false) {',
      },
    ],
  },
  {
    name: 'a start opens although another turn of the run is live',
    edits: [
      {
        file: 'apps/poller/dist/open/open-start-turns.js',
        search: 'run.ignoredSince !== null || state.readLiveTurnOfRun(run.id) !== undefined',
        replacement: 'run.ignoredSince !== null',
      },
    ],
  },
  {
    name: 'the limit of open runs is ignored',
    edits: [
      {
        file: 'apps/poller/dist/open/open-start-turns.js',
        search: 'if (cap === undefined)',
        replacement: 'if (true)',
      },
    ],
  },
  {
    name: 'a comment on an issue with a pull request is redirected twice',
    edits: [
      {
        file: 'apps/poller/dist/open/route-comments.js',
        search: 'cause: [commentId]',
        replacement: 'cause: [commentId, Math.floor(Date.now() / 20000)]',
      },
    ],
  },
  {
    name: 'a redirect is planned but its comment is forgotten',
    edits: [
      {
        file: 'apps/poller/dist/open/route-comments.js',
        search: 'if (known !== undefined && isSettled(known))',
        replacement: 'if (true)',
      },
    ],
  },
  {
    name: 'a merged design is promoted before it is read',
    edits: [
      {
        file: 'apps/poller/dist/watch/promote-merged.js',
        search: ['if (await promoteDocuments(tools, repo, prNumber))', '                forget();'].join(
          '\n',
        ),
        replacement: ['forget();', '            await promoteDocuments(tools, repo, prNumber);'].join('\n'),
      },
    ],
  },
  {
    name: 'a wait is forgotten when its turn ends',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/settle-turn.js',
        search: 'awaitFollowup(tools, run, { waitKind, reason, checkpoint });',
        replacement: '',
      },
    ],
  },
  {
    name: 'strangers may start work',
    edits: [
      {
        file: 'packages/core/dist/runs/decide-intake.js',
        search: 'isAllowed ? undefined :',
        replacement: 'true ? undefined :',
      },
    ],
  },
];
