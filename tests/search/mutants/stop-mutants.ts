import type { Mutant } from '../../chaos/feedback-mutants.js';

/** Deliberate bugs in takeover, pause, cancel and close. */
export const STOPS: readonly Mutant[] = [
  {
    name: 'a pause holds nothing',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/pause.js',
        search: 'return pauses.length === 0 ? undefined : findPause(pauses, turn);',
        replacement: 'return undefined;',
      },
    ],
  },
  {
    name: 'a canceled turn continues',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/pause.js',
        search: "endTurn(tools, turn, { end: 'cancelled', reason });",
        replacement: '',
      },
    ],
  },
  {
    name: 'a turn begins although its pull request was closed',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/admit.js',
        search: 'const admission = decideAdmission({ status, isTakenOver, lineage });',
        replacement: "const admission = decideAdmission({ status: 'open', isTakenOver, lineage });",
      },
    ],
  },
  {
    name: 'a turn begins although a person took over',
    edits: [
      {
        file: 'apps/poller/dist/lifecycle/admit.js',
        search: 'const admission = decideAdmission({ status, isTakenOver, lineage });',
        replacement: 'const admission = decideAdmission({ status, isTakenOver: false, lineage });',
      },
    ],
  },
  {
    name: 'posts of ended turns are sent',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: ['if (!isSending && isTurnLive === false)', "        return 'drop';"].join('\n'),
        replacement: '',
      },
    ],
  },
  {
    name: 'feedback during a block opens turns',
    edits: [
      {
        file: 'apps/poller/dist/open/open-feedback-turns.js',
        search: "if (pull.status !== 'awaiting_feedback' || pull.listedAt === null || isIgnored(pull))",
        replacement: 'if (pull.listedAt === null || isIgnored(pull))',
      },
    ],
  },
  {
    name: 'feedback opens a turn next to a live one',
    edits: [
      {
        file: 'apps/poller/dist/open/open-feedback-turns.js',
        search: ['if (turn !== undefined && !canBePreempted(turn))', '        return false;'].join('\n'),
        replacement: '',
      },
    ],
  },
  {
    name: 'only the first comments of a turn are claimed',
    edits: [
      {
        file: 'apps/poller/dist/open/open-feedback-turns.js',
        search: 'const keys = events.map(({ eventKey }) => eventKey).sort();',
        replacement: 'const keys = events.map(({ eventKey }) => eventKey).sort().slice(0, 1);',
      },
    ],
  },
];
