import { FAILPOINTS } from '@mergexo/core/basics';
import type { FaultInput } from '@mergexo/github-twin';
import type { Mood } from '../world/agent.js';
import { WORST_LAG_SECONDS } from '../world/constants.js';
import { createRandom, type Random } from '../world/random.js';
import type { Action, Human, Op, Order, Process, Schedule, Text } from './op.js';

/** Draws the schedule of a seed. */
export function drawSchedule(seed: number): Schedule {
  const random = createRandom(seed);
  const variant = {
    review: random.chance(0.4),
    autoUpdate: random.chance(0.2),
    maxOpenRuns: random.chance(0.2) ? 1 : 4,
    signs: random.chance(0.3),
    webhook: random.chance(0.8),
    heartbeats: random.chance(0.2),
  };
  const ops: Op[] = [];
  const length = random.chance(0.5) ? random.between(8, 20) : random.between(25, 50);
  // The probability of faults differs between schedules, so that some make progress and others have many faults.
  const stormy = random.pick([0.1, 0.25, 0.5]);
  ops.push({ after: 0, kind: 'open-issue', by: 'alice', flow: drawFlow(random) });
  while (ops.length < length) {
    const actions = random.chance(stormy) ? drawTrouble(random) : drawWork(random);
    for (const action of actions) ops.push({ after: drawPause(random), ...action });
  }
  return { seed, variant, ops };
}

/** Many actions at almost the same time, some after the system has answered. */
function drawPause(random: Random): number {
  return random.weigh<() => number>([
    [3, () => random.between(0, 300)],
    [4, () => random.between(300, 6_000)],
    [3, () => random.between(6_000, 30_000)],
    [0.5, () => random.between(30_000, 90_000)],
  ])();
}

const drawFlow = (random: Random) =>
  random.weigh([
    [3, 'bugfix'],
    [2, 'small_job'],
    [3, 'design_doc'],
  ] as const);

const drawHuman = (random: Random): Human =>
  random.weigh<Human>([
    [6, 'alice'],
    [4, 'bob'],
    [1, 'mallory'],
    [0.5, 'ci[bot]'],
  ]);

const drawText = (random: Random): Text =>
  random.weigh<Text>([
    [8, 'plain'],
    [1, 'copied-marker'],
    [1, 'quote'],
    [0.3, 'long'],
    [0.3, 'empty-command'],
  ]);

const drawOrder = (random: Random): Order =>
  random.pick([
    'status',
    'pause',
    'resume',
    'cancel',
    'retry',
    'unblock',
    'unblock',
    'skip-review',
    'update',
    'dismiss',
  ]);

const which = (random: Random): number => random.below(6);

type Draw = (random: Random) => Action[];

const comment: Draw = (random) => [
  {
    kind: random.pick(['comment-issue', 'comment-pull', 'comment-pull', 'comment-line', 'comment-line']),
    which: which(random),
    by: drawHuman(random),
    text: drawText(random),
  },
];

/** What people and operators do. */
const WORK: readonly (readonly [number, Draw])[] = [
  [
    2,
    (random) => [
      { kind: 'open-issue', by: drawHuman(random), flow: random.chance(0.9) ? drawFlow(random) : null },
    ],
  ],
  [0.5, (random) => [{ kind: 'label', which: which(random), flow: drawFlow(random), by: drawHuman(random) }]],
  [12, comment],
  [1, (random) => [{ kind: 'reply-line', which: which(random), by: drawHuman(random) }]],
  [
    2,
    (random) => [
      {
        kind: 'review',
        which: which(random),
        by: drawHuman(random),
        verdict: random.pick(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
        lines: random.below(3),
      },
    ],
  ],
  [2, (random) => [{ kind: random.pick(['edit', 'delete']), which: which(random) }]],
  [1, (random) => [{ kind: 'spoil-own', which: which(random), how: random.pick(['edit', 'delete']) }]],
  [
    2.5,
    (random) => [
      {
        kind: 'command',
        which: which(random),
        on: random.pick(['issue', 'pull']),
        order: drawOrder(random),
        by: drawHuman(random),
      },
    ],
  ],
  [
    3,
    (random) => [
      {
        kind: random.pick(['push', 'push', 'merge', 'merge', 'merge', 'close', 'reopen']),
        which: which(random),
      },
    ],
  ],
  [0.6, (random) => [{ kind: random.pick(['rewrite', 'delete-branch']), which: which(random) }]],
  [
    0.7,
    (random) => [
      { kind: random.pick(['close-issue', 'reopen-issue', 'rename-issue']), which: which(random) },
    ],
  ],
  [0.5, () => [{ kind: 'move-base' }]],
  [
    1,
    (random) => {
      const place = { which: which(random), on: random.pick<'issue' | 'pull'>(['issue', 'pull']) };
      return random.chance(0.5)
        ? [{ kind: 'take-over', ...place }]
        : [{ kind: 'take-over', ...place }, ...comment(random), { kind: 'hand-back', ...place }];
    },
  ],
  [1, (random) => [{ kind: 'check', which: which(random), conclusion: random.pick(['success', 'failure']) }]],
  [
    0.7,
    (random) => [
      {
        kind: 'operate',
        order: random.pick(['pause', 'resume', 'cancel', 'reset']),
        which: which(random),
        whole: random.chance(0.3),
      },
    ],
  ],
  [1.5, (random) => [{ kind: 'mood', moods: [drawMood(random), drawMood(random)] }]],
];

const drawMood = (random: Random): Mood =>
  random.weigh<Mood>([
    ...(['talks', 'commits', 'blocks', 'fails', 'finds', 'finds', 'disputes'] as const).map(
      (mood) => [2, mood] as const,
    ),
    ...(['unusable', 'no-machine', 'hangs', 'rewrites', 'costs', 'limited'] as const).map(
      (mood) => [1, mood] as const,
    ),
  ]);

const COMMENTS = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const REPLIES = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const PULLS = 'POST /repos/{owner}/{repo}/pulls';
const REVIEWS = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const WRITES = [COMMENTS, REPLIES, PULLS, REVIEWS, 'POST *', 'PATCH *', 'POST *'] as const;
const PULL_READS = [
  'GET /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
] as const;

function drawFault(random: Random): FaultInput {
  const write = random.pick(WRITES);
  const any = random.pick([...WRITES, 'GET *']);
  const seconds = random.pick([2, 10, 20, WORST_LAG_SECONDS]);
  return random.weigh<FaultInput>([
    [4, { kind: 'error', when: 'after', route: write }],
    [3, { kind: 'error', when: 'before', route: any }],
    [2, { kind: 'drop', when: random.pick(['before', 'after']), route: any }],
    [1, { kind: 'hang', when: random.pick(['before', 'after']), route: any }],
    [1, { kind: 'error', status: 404, when: 'before', route: 'GET *', times: random.between(1, 2) }],
    [1, { kind: 'secondary-limit', retryAfterSeconds: random.between(1, 20), route: any }],
    [1, { kind: 'expired-token', route: any }],
    [1, { kind: 'truncated', route: any }],
    [1, { kind: 'html', route: any }],
    [3, { kind: 'lag', seconds, route: 'GET *', times: random.between(1, 12) }],
    [3, { kind: 'stale', seconds, route: random.pick(PULL_READS), times: random.between(1, 6) }],
    [1, { kind: 'mergeable-null' }],
  ]);
}

const drawProcess = (random: Random): Process => random.pick(['poller', 'poller', 'worker-1', 'worker-2']);

/** What goes wrong around MergeXO. */
const TROUBLE: readonly (readonly [number, Draw])[] = [
  [7, (random) => [{ kind: 'fault', fault: drawFault(random) }]],
  [6, (random) => [{ kind: 'arm', failpoint: random.pick(FAILPOINTS), ordinal: random.between(1, 2) }]],
  [5, (random) => [{ kind: 'doom', process: drawProcess(random), doors: random.between(1, 40) }]],
  [2, (random) => [{ kind: random.pick(['crash', 'crash', 'drain']), process: drawProcess(random) }]],
  [
    2,
    (random) => [
      {
        kind: 'cut',
        link: random.pick(['github', 'poller', 'worker-1', 'worker-2']),
        ms: random.pick([1_000, 8_000, 40_000]),
      },
    ],
  ],
  [1, (random) => [{ kind: 'slow', ms: random.between(5_000, 60_000) }]],
  [
    1.5,
    (random) => [
      { kind: 'push-trouble', trouble: random.pick(['lost-before', 'lost-after', 'lost-after', 'refused']) },
    ],
  ],
  [1.5, () => [{ kind: 'flush' }]],
  [0.6, () => [{ kind: 'lose-state' }]],
  [0.6, (random) => [{ kind: 'back-up' }, ...drawWork(random), ...drawWork(random), { kind: 'restore' }]],
  [0.7, (random) => [{ kind: 'fill-disk', writes: random.between(1, 3) }]],
  [0.7, (random) => [{ kind: 'jump-clock', ms: random.pick([-3_600_000, -30_000, 30_000, 3_600_000]) }]],
  [2, () => [{ kind: 'calm' }]],
];

const drawWork: Draw = (random) => random.weigh(WORK)(random);
const drawTrouble: Draw = (random) => random.weigh(TROUBLE)(random);
