import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { HeldDraft, LedgerDraft } from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';
import { openState, type State } from '@mergexo/state';
import {
  aPlan,
  aTurn,
  aVerifiedMessage,
  createTemporaryDirectory,
  NO_UPLOADS,
  ROBOT_AUTHOR,
} from '@mergexo/testkit';
import { answerLedger, type LedgerTools } from './answer-ledger.js';
import { createHolderSilence } from './holder-silence.js';
import { createReportLimit } from './report-limit.js';
import { sweepWorkers } from './watch-workers.js';

const KEY = 'k'.repeat(64);
type VerifiedMessage = Parameters<typeof answerLedger>[1];

describe('an attacker who replays signed messages', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let path: string;
  let state: State;
  let desk: LedgerTools;
  let clock: number;
  const startPoller = (): void => {
    const startedAt = clock;
    state = openState(path);
    desk = {
      state,
      queue: { enqueueTurns: async () => {}, prioritiseTurns: async () => {} },
      silence: createHolderSilence({ monotonicNow: () => clock, hearingSince: () => startedAt }),
      mayReport: createReportLimit(() => clock),
      billing: { limits: () => ({}), prices: () => new Map() },
      keys: { current: KEY, older: [] },
      agentsOf: () => undefined,
      refresh: async () => ({ kind: 'fresh' }),
      author: () => ROBOT_AUTHOR,
      uploads: NO_UPLOADS,
      now: () => clock,
      log: silentLog,
    };
  };
  const restartPoller = (): void => {
    state.close();
    startPoller();
  };
  beforeEach(() => {
    directory = createTemporaryDirectory();
    path = join(directory.path, 'state.db');
    clock = 1_000;
    startPoller();
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const replay = (verified: VerifiedMessage) => answerLedger(desk, verified);
  /** Sends the message and returns it as an attacker who reads Redis could record it. */
  const record = async (draft: LedgerDraft): Promise<VerifiedMessage> => {
    const verified = aVerifiedMessage(draft, state.readTurn, KEY);
    expect(await replay(verified)).toMatchObject({ kind: expect.stringMatching(/ok|begun/) });
    return verified;
  };
  const listTypes = (): string[] => state.listEventsAfter(0, 10_000).map(({ type }) => type);
  const beat = (sequence: number, more: object = {}): LedgerDraft => ({
    kind: 'heartbeat',
    workerId: 'w1@mini-7',
    sequence,
    host: 'mini',
    pid: 7,
    ...more,
  });
  const leave = (): Promise<VerifiedMessage> => record(beat(9, { leaving: true }));
  const timeOut = async (): Promise<void> => {
    clock += 16_000;
    sweepWorkers(desk);
  };
  const restarts: [string, () => void][] = [
    ['at once', () => {}],
    ['after the poller restarted', restartPoller],
  ];

  it.each(
    [['stopped', leave] as const, ['timed out', timeOut] as const].flatMap(([how, end]) =>
      restarts.map(([when, between]) => [how, when, end, between] as const),
    ),
  )(
    'replays every heartbeat of a worker that %s, %s: the worker gets no new lease',
    async (_how, _when, end, between) => {
      const recorded: VerifiedMessage[] = [];
      for (let sequence = 0; sequence < 9; sequence += 1) recorded.push(await record(beat(sequence)));
      const last = await end();
      if (last !== undefined) recorded.push(last);
      between();
      const before = listTypes();
      for (let round = 0; round < 20; round += 1) for (const verified of recorded) await replay(verified);
      expect(state.listWorkerLeases()).toEqual([]);
      expect(listTypes()).toEqual(before);
    },
  );

  it('replays a heartbeat to hide a notice: the notice stays', async () => {
    const first = await record(beat(1));
    await record(beat(2, { notices: ['codex-without-own-sandbox'] }));
    await replay(first);
    expect(state.readWorkerLease('w1@mini-7')?.notices).toEqual(['codex-without-own-sandbox']);
  });

  it('replays the heartbeat of a worker that stopped responding: the lease still expires', async () => {
    const last = await record(beat(1));
    for (let round = 0; round < 4; round += 1) {
      clock += 5_000;
      await replay(last);
    }
    sweepWorkers(desk);
    expect(state.listWorkerLeases()).toEqual([]);
  });

  const aQueuedTurn = (): Turn => {
    const turn = aTurn({ state: 'queued', epoch: 1 });
    state.recordTurn(turn, {});
    return turn;
  };
  const begin = ({ turnKey }: Turn, worker: string): LedgerDraft => ({
    kind: 'begin',
    requestId: `${worker}@r`,
    turnKey,
    epoch: 1,
    workerId: `${worker}@host`,
  });

  type Recording = (held: { turnKey: string; attempt: number }) => HeldDraft[];
  const progress: Recording = (held) =>
    [0, 1, 2, 3].map((sequence) => ({ kind: 'progress', ...held, sequence, step: `step ${sequence}` }));
  const recordings: [string, Recording][] = [
    ['the begin', () => []],
    ['one progress message', (held) => progress(held).slice(0, 1)],
    ['all progress messages', progress],
    ['steps', (held) => [{ kind: 'steps', ...held, first: 0, steps: [{ kind: 'run', text: 'ls' }] }]],
    ['the plan', (held) => [{ kind: 'freeze', ...held, parcel: aPlan('mine'), finished: false }]],
  ];
  const holds = recordings.flatMap(([what, draw]) =>
    restarts.map(([when, between]) => [what, when, draw, between] as const),
  );
  it.each(holds)(
    'replays %s of a dead worker for an hour, %s: another worker takes the turn',
    async (_what, _when, draw, between) => {
      const turn = aQueuedTurn();
      const recorded = [await record(begin(turn, 'w1'))];
      for (const draft of draw({ turnKey: turn.turnKey, attempt: 1 })) recorded.push(await record(draft));
      between();
      const before = listTypes();
      for (let round = 0; round < 1_200; round += 1) {
        clock += 3_000;
        const verified = recorded[round % recorded.length];
        if (verified !== undefined) await replay(verified);
      }
      expect(listTypes()).toEqual(before);
      expect(await record(begin(turn, 'w2'))).toBeDefined();
      expect(state.readTurn(turn.turnKey)?.workerId).toBe('w2@host');
    },
  );

  const keyOf = (index: number): string => index.toString(16).padStart(64, '0');
  const floods: [string, number, (index: number) => VerifiedMessage][] = [
    [
      'begin messages for unknown turns',
      1,
      (index) => ({ from: 'w1', message: { ...begin(aTurn(), 'w1'), turnKey: keyOf(index) } }),
    ],
    [
      'begin messages for unknown turns from many workers with the same name',
      10,
      (index) => ({ from: 'w1', message: { ...begin(aTurn(), 'w1'), workerId: `w1@host-${index}` } }),
    ],
    [
      'plans for unknown turns',
      10,
      (index) => ({
        from: 'w1',
        message: {
          kind: 'release',
          turnKey: keyOf(index),
          attempt: 1,
          proof: 'f'.repeat(64),
          reason: 'x',
        },
      }),
    ],
    ['messages in the name of other workers', 1, () => ({ from: 'w2', message: begin(aTurn(), 'w1') })],
    ['malformed messages', 1, (index) => ({ from: 'w1', message: { index } })],
  ];
  it.each(floods)('sends 100 %s a minute: the poller records %d', async (_what, allowed, build) => {
    for (let minute = 1; minute <= 3; minute += 1) {
      for (let index = 0; index < 100; index += 1)
        expect(await replay(build(index))).toMatchObject({ kind: 'refused' });
      expect(listTypes()).toHaveLength(minute * allowed);
      clock += 60_000;
    }
  });

  it('replays a refused message of an ended attempt 100 times: the poller records it once', async () => {
    const turn = aQueuedTurn();
    const first = await record(begin(turn, 'w1'));
    clock += 60_000;
    await record(begin(turn, 'w2'));
    for (let round = 0; round < 100; round += 1) await replay(first);
    expect(listTypes().filter((type) => type === 'ledger_refused')).toHaveLength(1);
  });
});
