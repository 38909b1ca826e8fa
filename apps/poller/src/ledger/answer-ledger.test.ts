import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerDraft } from '@mergexo/core/ledger';
import { ALL } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import { createState, openDatabase, type State } from '@mergexo/state';
import {
  aPlan,
  aTurn,
  aVerifiedMessage,
  createTemporaryDirectory,
  NO_UPLOADS,
  ROBOT_AUTHOR,
} from '@mergexo/testkit';
import { pauseWork, resumeWork } from '../lifecycle/pause.js';
import { answerLedger, type LedgerTools } from './answer-ledger.js';
import { createHolderSilence } from './holder-silence.js';
import { createReportLimit } from './report-limit.js';
import { sweepWorkers } from './watch-workers.js';

const proof = 'f'.repeat(64);
const release = { kind: 'release', turnKey: 'a'.repeat(64), attempt: 1, proof, reason: '' };
const { reason: _reason, ...ofAttempt } = release;
const frozen = { ...ofAttempt, kind: 'freeze', parcel: aPlan('p'), finished: false };

describe('answerLedger', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let database: ReturnType<typeof openDatabase>;
  let state: State;
  let desk: LedgerTools;
  let clock: number;
  let enqueued: string[];
  let turn: Turn;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    database = openDatabase(join(directory.path, 'state.db'));
    state = createState(database);
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    clock = 1_000;
    enqueued = [];
    turn = aTurn({ state: 'queued', epoch: 1 });
    state.recordTurn(turn, { hello: 'agent' });
    desk = {
      state,
      queue: {
        enqueueTurns: async (turns) => {
          enqueued.push(...turns.map(({ epoch, delayMs }) => `${epoch} in ${delayMs}`));
        },
        prioritiseTurns: async () => {},
      },
      silence: createHolderSilence({ monotonicNow: () => clock, hearingSince: () => 0 }),
      mayReport: createReportLimit(() => clock),
      billing: { limits: () => ({}), prices: () => new Map() },
      keys: { current: 'k'.repeat(64), older: [] },
      agentsOf: () => undefined,
      refresh: async () => ({ kind: 'fresh' }),
      author: () => ROBOT_AUTHOR,
      uploads: NO_UPLOADS,
      now: () => clock,
      log: silentLog,
    };
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const begin = (requestId = 'r1', epoch = 1): LedgerDraft => ({
    kind: 'begin',
    requestId: `w1@${requestId}`,
    turnKey: turn.turnKey,
    epoch,
    workerId: 'w1',
  });
  const freeze = (attempt = 1): Extract<LedgerDraft, { kind: 'freeze' }> => ({
    kind: 'freeze',
    turnKey: turn.turnKey,
    attempt,
    parcel: aPlan('p'),
    finished: false,
  });
  const send = (draft: LedgerDraft, tools = desk): Promise<LedgerAnswer> =>
    answerLedger(tools, aVerifiedMessage(draft, state.readTurn, desk.keys.current));
  const eventTypes = (): string[] => state.listEventsAfter(0, 100).map((event) => event.type);

  it('starts no turn that an operator paused while the poller was reading GitHub', async () => {
    const scope = { repoId: 1, issueNumber: ALL, by: 'ada', reason: null };
    const refresh = async () => {
      pauseWork(desk, scope);
      return { kind: 'fresh' } as const;
    };
    const ask = (tools: LedgerTools) =>
      answerLedger(tools, aVerifiedMessage(begin(), state.readTurn, 'k'.repeat(64)));
    expect(await ask({ ...desk, refresh })).toMatchObject({
      kind: 'retry-later',
      reason: expect.stringContaining('resume the repository'),
    });
    expect(state.readTurn(turn.turnKey)).toMatchObject({ state: 'queued', workerId: null });
    resumeWork(desk, scope);
    expect(await ask(desk)).toMatchObject({ kind: 'begun' });
  });

  it('starts no turn before GitHub has confirmed the login, because commits need an author', async () => {
    expect(await send(begin(), { ...desk, author: () => undefined })).toMatchObject({
      kind: 'retry-later',
    });
    expect(state.readTurn(turn.turnKey)?.begins).toEqual([]);
  });

  it('answers begin with the turn from the database, not with the job data', async () => {
    expect(await send(begin())).toEqual({
      kind: 'begun',
      attempt: 1,
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      turnKey: turn.turnKey,
      turnKind: 'bugfix_start',
      repoId: 1,
      issueNumber: turn.issueNumber,
      prNumber: null,
      context: { hello: 'agent' },
      frozen: null,
      author: ROBOT_AUTHOR,
    });
  });

  it('gives the next attempt the frozen plan with its bundle', async () => {
    await send(begin('r1'));
    expect(await send(freeze())).toEqual({ kind: 'ok' });
    clock += 60_000;
    expect(await send(begin('r2'))).toMatchObject({
      kind: 'begun',
      attempt: 2,
      frozen: aPlan('p'),
    });
    expect(await send(freeze(1))).toMatchObject({ kind: 'refused' });
    const finish = (attempt: number): LedgerDraft => ({
      kind: 'finish',
      turnKey: turn.turnKey,
      attempt,
      outcome: 'pushed',
      reason: null,
    });
    expect(await send(finish(1))).toMatchObject({ kind: 'refused' });
    expect(await send(finish(2))).toEqual({ kind: 'ok' });
    expect(state.readTurn(turn.turnKey)?.state).toBe('done');
    expect(eventTypes()).toEqual([
      'turn_begun',
      'turn_frozen',
      'turn_failed',
      'turn_begun',
      'ledger_refused',
      'turn_finished',
      'turn_completed',
    ]);
  });

  it('queues a failed turn again after its backoff', async () => {
    await send(begin());
    await send({
      kind: 'fail',
      turnKey: turn.turnKey,
      attempt: 1,
      cause: 'agent',
      reason: 'exit 1',
      retryAfterMs: null,
      usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.25 },
    });
    expect(enqueued).toEqual(['2 in 30000']);
    expect(eventTypes()).toContain('turn_failed');
  });

  it('adds the hosts that the network policy refused to the timeline, once', async () => {
    await send(begin());
    const refusedHosts = ['evil.test:443', 'h?.test:80'];
    const message = { ...freeze(), refusedHosts };
    await send(message);
    await send(message);
    const events = state.listEventsAfter(0, 100).filter(({ type }) => type === 'hosts_refused');
    expect(events).toMatchObject([{ turnKey: turn.turnKey, payload: { hosts: refusedHosts } }]);
  });

  it('refuses an unknown turn', async () => {
    const message = { ...begin(), turnKey: 'f'.repeat(64) };
    expect(await send(message)).toEqual({ kind: 'refused', reason: 'no such turn' });
  });

  it.each([
    ['no content', undefined],
    ['text instead of an object', 'begin'],
    ['an unknown verb', { kind: 'rule-the-world' }],
    ['a path for a key', { kind: 'begin', requestId: 'r', turnKey: '../../x', epoch: 1, workerId: 'w' }],
    ['an extra field', { ...release, repo: 'other' }],
    ['a negative attempt', { ...release, attempt: -1 }],
    ['fifty megabytes', { ...release, reason: 'x'.repeat(50_000_000) }],
    ['markup as a refused host', { ...frozen, refusedHosts: ['<img src=x>'] }],
  ])(
    'records a message with %s, logs a warning, and still handles later messages',
    async (_name, message) => {
      expect(await answerLedger(desk, { message, from: 'w1' })).toMatchObject({ kind: 'refused' });
      expect(eventTypes()).toEqual(['ledger_message_set_aside']);
      expect(JSON.stringify(state.listEventsAfter(0, 10)).length).toBeLessThan(2_000);
      expect(await send(begin())).toMatchObject({ kind: 'begun' });
    },
  );

  it('fails with a clear error while another program locks the database, and saves nothing', async () => {
    await send(begin());
    database.sqlite.pragma('busy_timeout = 50');
    const backup = openDatabase(database.path);
    backup.sqlite.exec('BEGIN IMMEDIATE');
    await expect(send(freeze())).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('locked by another program'),
    });
    backup.sqlite.exec('ROLLBACK');
    backup.close();
    expect(state.readTurn(turn.turnKey)).toMatchObject({ state: 'running', planDigest: null });
    expect(await send(freeze())).toEqual({ kind: 'ok' });
  });

  it('fails with a clear error on a full disk, and saves nothing', async () => {
    await send(begin());
    const pages = Number(database.sqlite.pragma('page_count', { simple: true }));
    const free = Number(database.sqlite.pragma('freelist_count', { simple: true }));
    database.sqlite.pragma(`max_page_count = ${pages + free}`);
    const parcel = { ...aPlan('p'), bundle: Buffer.alloc(200_000, 7).toString('base64') };
    const message: LedgerDraft = {
      kind: 'freeze',
      turnKey: turn.turnKey,
      attempt: 1,
      parcel,
      finished: false,
    };
    await expect(send(message)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('No space is left'),
    });
    expect(state.readTurn(turn.turnKey)).toMatchObject({ state: 'running', planDigest: null });
    expect(state.readPlan(turn.turnKey)).toBeNull();
    expect(eventTypes()).toEqual(['turn_begun']);
    database.sqlite.pragma('max_page_count = 1000000');
    expect(await send(message)).toEqual({ kind: 'ok' });
    expect(state.readPlan(turn.turnKey)).toEqual(parcel);
  });

  it('records a worker when it starts, and once when it stops responding', async () => {
    const beat = (sequence: number): LedgerDraft => ({
      kind: 'heartbeat',
      workerId: 'mini-7',
      sequence,
      host: 'mini',
      pid: 7,
    });
    for (let sequence = 1; sequence <= 13; sequence += 1) await send(beat(sequence));
    sweepWorkers(desk);
    expect(eventTypes()).toEqual(['worker_started', 'worker_heartbeat']);
    clock += 16_000;
    sweepWorkers(desk);
    sweepWorkers(desk);
    expect(eventTypes()).toEqual(['worker_started', 'worker_heartbeat', 'worker_heartbeat_timeout']);
  });

  it("keeps a worker's notices until a heartbeat omits them", async () => {
    const about = { kind: 'heartbeat' as const, workerId: 'mini-7', host: 'mini', pid: 7 };
    const listNotices = () => state.listWorkerLeases().map(({ notices }) => notices);
    await send({ ...about, sequence: 1, notices: ['codex-without-own-sandbox'] });
    expect(listNotices()).toEqual([['codex-without-own-sandbox']]);
    await send({ ...about, sequence: 2 });
    expect(listNotices()).toEqual([[]]);
  });

  it('counts the turns that a worker held when it stopped responding', async () => {
    for (const workerId of ['w1', 'w2'])
      await send({ kind: 'heartbeat', workerId, sequence: 1, host: 'mini', pid: 7 });
    await send(begin());
    clock += 16_000;
    sweepWorkers(desk);
    const gone = state.listEventsAfter(0, 100).filter(({ type }) => type === 'worker_heartbeat_timeout');
    expect(gone.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ worker: 'w1', turns: 1 }),
      expect.objectContaining({ worker: 'w2', turns: 0 }),
    ]);
  });

  it('reports no timeout for a worker that has stopped', async () => {
    const about = { kind: 'heartbeat' as const, workerId: 'mini-7', host: 'mini', pid: 7 };
    await send({ ...about, sequence: 1 });
    await send({ ...about, sequence: 2, leaving: true });
    clock += 16_000;
    sweepWorkers(desk);
    expect(eventTypes()).toEqual(['worker_started', 'worker_stopped']);
    expect(state.listWorkerLeases()).toEqual([]);
  });
});
