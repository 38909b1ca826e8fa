import type { Mutant } from '../../chaos/feedback-mutants.js';

/** Deliberate bugs in the life of a turn: ledger, queue, worker and retries. */
export const TURNS: readonly Mutant[] = [
  {
    name: 'a lost job is never queued again',
    edits: [
      {
        file: 'apps/poller/dist/ledger/queue/reconcile.js',
        search: ['if (next === undefined)', '        return [];'].join('\n'),
        replacement: 'return [];',
      },
    ],
  },
  {
    name: 'jobs of ended turns stay in the queue',
    edits: [
      {
        file: 'apps/poller/dist/ledger/queue/reconcile.js',
        search: 'return turn === undefined || !isCarried(turn) || buildJobId(turn) !== id;',
        replacement: 'return false;',
      },
    ],
  },
  {
    name: 'crashes never end a turn',
    edits: [
      {
        file: 'packages/core/dist/turns/decide-retry.js',
        search: 'if (count >= rule.cap) {',
        replacement: 'if (false) {',
      },
    ],
  },
  {
    name: 'every failure of an agent blocks at once',
    edits: [
      {
        file: 'packages/core/dist/turns/decide-retry.js',
        search: 'if (count >= rule.cap) {',
        replacement: 'if (true) {',
      },
    ],
  },
  {
    name: 'a worker pushes without proof of its lock',
    edits: [
      {
        file: 'apps/worker/dist/run-turn.js',
        search: 'if (!(await work.delivery.provesLock().catch(() => false))) {',
        replacement: 'if (false) {',
      },
    ],
  },
  {
    name: 'a worker asks the agent again although a plan is frozen',
    edits: [
      {
        file: 'apps/worker/dist/run-turn.js',
        search: 'let parcel = begun.frozen;',
        replacement: 'let parcel = null;',
      },
    ],
  },
  {
    name: 'a worker reports a failed push as pushed',
    edits: [
      {
        file: 'apps/worker/dist/run-turn.js',
        search: "if (pushed.kind === 'failed') {",
        replacement: [
          "if (pushed.kind === 'failed') {",
          "        return over(await send({ kind: 'finish', ...held, outcome: 'pushed', reason: null }));",
          '    }',
          "    if (pushed.kind === 'failed') {",
        ].join('\n'),
      },
    ],
  },
  {
    name: 'a worker ignores that the poller stopped its turn',
    edits: [
      {
        file: 'apps/worker/dist/hold-attempt.js',
        search: "if (answer?.kind === 'refused' || answer?.kind === 'stop')",
        replacement: 'if (false)',
      },
    ],
  },
  {
    name: 'a worker releases its turn after a superseded push',
    edits: [
      {
        file: 'apps/worker/dist/run-turn.js',
        search: 'const { kind: outcome, reason } = pushed;',
        replacement: ['const { reason } = pushed;', "    const outcome = 'pushed';"].join('\n'),
      },
    ],
  },
  {
    name: 'a canceled turn may go on',
    edits: [
      {
        file: 'packages/core/dist/ledger/step.js',
        search: "if (!isLive(turn) && turn.state !== 'done') {",
        replacement: 'if (false) {',
      },
    ],
  },
  {
    name: 'a returned attempt may go on',
    edits: [
      {
        file: 'packages/core/dist/ledger/step.js',
        search: 'if (turn.workerId === null)',
        replacement: 'if (false)',
      },
    ],
  },
  {
    name: 'a plan loses its actions',
    edits: [
      {
        file: 'apps/poller/dist/ledger/answer-ledger.js',
        search:
          'state.recordActions([...planActions(turn, plan, events), ...planFixActions(tools, turn, plan)], now());',
        replacement:
          'state.recordActions([...planActions(turn, plan, events), ...planFixActions(tools, turn, plan)].slice(0, 1), now());',
      },
    ],
  },
];
