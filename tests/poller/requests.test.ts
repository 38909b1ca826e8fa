import type { PlanResult } from '@mergexo/core/turns';
import { eventually } from '@mergexo/testkit';
import { talk } from '../stage/answer-all.js';
import { expectAtMost, measureRequests } from '../stage/measure-requests.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const RECENT_MS = 2_000;

const isCounted = (request: string): boolean => !request.startsWith('304');

/** The clocks of the stage and the twin stand still between two steps, as in a turn without delays. */
describe('the number of GitHub requests', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage({ recentMs: RECENT_MS, room: 10 });
  });
  afterEach(() => stage.close());

  const measure = (work: () => Promise<unknown>) => measureRequests(stage, work);
  const openIssue = () =>
    stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
  const pollLater = async () => {
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
  };
  const openPull = async () => {
    await openIssue();
    await pollLater();
    const { runId } = await stage.work(fix);
    await stage.drain();
    await stage.drain();
    return stage.state.readRun(runId)?.prNumber ?? 0;
  };
  const rest = async () => {
    for (let i = 0; i < 6; i += 1) await pollLater();
  };
  const pollAndSign = async () => {
    await pollLater();
    await stage.sign();
  };
  const restWithSigns = async () => {
    for (let i = 0; i < 12; i += 1) await pollAndSign();
  };
  const openTurn = () => stage.state.listTurnsInState('open')[0];

  it.each([1, 5])(
    'is at most 6 per idle poll with %i new pull requests, and none count against the rate limit',
    async (count) => {
      for (let i = 0; i < count; i += 1) {
        await openPull();
        await stage.sign();
      }
      await restWithSigns();
      for (let i = 0; i < 6; i += 1) {
        const idle = await measure(pollAndSign);
        expectAtMost(6, idle.list);
        expect(idle.counted).toBe(0);
      }
    },
  );

  it('is six at the same time in an idle poll', async () => {
    await openPull();
    await rest();
    const held = stage.twin.control.fault({ kind: 'hold', route: 'GET *', times: null });
    const polled = stage.poll();
    await eventually(() => expect(held.waiting()).toBe(6));
    held.release();
    await polled;
  });

  it('is four at the same time for pull requests that changed', async () => {
    for (let i = 0; i < 6; i += 1) await openPull();
    await rest();
    for (const { prNumber } of stage.state.listWatchedPulls(stage.repo.id))
      await stage.alice.comment(NAME, prNumber, 'Why?');
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const held = stage.twin.control.fault({ kind: 'hold', route, times: null });
    stage.advance(DEBOUNCE_MS);
    const polled = stage.poll();
    await eventually(() => expect(held.waiting()).toBe(4));
    held.release();
    await polled;
  });

  describe('for a comment on a pull request', () => {
    let pr: number;
    beforeEach(async () => {
      pr = await openPull();
      await rest();
      await stage.alice.comment(NAME, pr, 'Why?');
    });

    it('is at most two above an idle poll, both when the poll sees the comment and when the turn opens', async () => {
      const seen = await measure(pollLater);
      const opened = await measure(pollLater);
      expect(openTurn()).toBeDefined();
      expectAtMost(8, seen.list);
      expectAtMost(8, opened.list);
    });

    it('is zero for a turn that begins immediately', async () => {
      await pollLater();
      await pollLater();
      const turn = openTurn();
      if (turn === undefined) throw new Error('no turn was opened');
      const begun = await measure(async () =>
        expect(await stage.begin(turn)).toMatchObject({ kind: 'begun' }),
      );
      expect(begun.list).toEqual([]);
    });

    it('is at most three for a turn that waited for a worker', async () => {
      await pollLater();
      await pollLater();
      const turn = openTurn();
      if (turn === undefined) throw new Error('no turn was opened');
      await new Promise((resolve) => setTimeout(resolve, RECENT_MS + 50));
      const begun = await measure(async () =>
        expect(await stage.begin(turn)).toMatchObject({ kind: 'begun' }),
      );
      expectAtMost(3, begun.list);
    });

    it('is one before the reply and one after the reply', async () => {
      await pollLater();
      await pollLater();
      await stage.answer(talk);
      const posted = await measure(stage.drain);
      expect(posted.list.map((request) => request.split(' ').slice(1).join(' '))).toEqual([
        `GET /repos/${NAME}/pulls/${pr}`,
        `POST /repos/${NAME}/issues/${pr}/comments`,
        `GET /repos/${NAME}/pulls/${pr}`,
      ]);
      expect(stage.state.listTurnsInState('speaking')).toEqual([]);
    });

    it('is one before each of several replies, and one after the last', async () => {
      for (const line of [1, 2])
        await stage.alice.reviewComment(NAME, pr, { path: 'fix.txt', line, body: 'Why this?' });
      await pollLater();
      await pollLater();
      await stage.answer(talk);
      const posted = await measure(stage.drain);
      const methods = posted.list.map((request) => request.split(' ')[1]);
      expect(methods).toEqual(['GET', 'POST', 'GET', 'POST', 'GET', 'POST', 'GET']);
      expect(stage.state.listTurnsInState('speaking')).toEqual([]);
    });

    it('is at most 9 counted requests for the whole turn, including the polls that read the reply', async () => {
      const whole = await measure(async () => {
        await pollLater();
        await pollLater();
        await stage.answer(talk);
        await stage.drain();
        await rest();
      });
      expectAtMost(9, whole.list.filter(isCounted));
      expect(whole.counted).toBeLessThanOrEqual(9);
    });
  });

  it.each([
    ['immediately', 0],
    ['after a wait for a worker', RECENT_MS + 50],
  ])('is at most three for a start that begins %s', async (_when, waitMs) => {
    await openPull();
    await rest();
    await openIssue();
    await pollLater();
    const turn = openTurn();
    if (turn === undefined) throw new Error('no turn was opened');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const begun = await measure(async () => expect(await stage.begin(turn)).toMatchObject({ kind: 'begun' }));
    expectAtMost(3, begun.list);
  });

  describe('with signs', () => {
    /** Counts like `measure`, with signs after each step. Also returns the requests of the signs alone. */
    const measureSigns = async (steps: readonly (() => Promise<unknown>)[]) => {
      const signs: string[] = [];
      const sign = async () => signs.push(...(await measure(stage.sign)).list);
      const whole = await measure(async () => {
        for (const step of steps) {
          await step();
          await sign();
        }
        for (let i = 0; i < 12; i += 1) {
          await pollLater();
          await sign();
        }
      });
      return { whole, signs: signs.map((request) => request.replace(/\/repos\/[^/]+\/[^/]+|\d{2,}/g, '#')) };
    };

    it('is 3 writes above a whole turn, no read, and at most 14 counted requests', async () => {
      await openIssue();
      await pollAndSign();
      const { runId } = await stage.work(fix);
      await stage.drain();
      await restWithSigns();
      const pr = stage.state.readRun(runId)?.prNumber ?? 0;
      await stage.alice.comment(NAME, pr, 'Why?');
      const answer = () => stage.answer(talk);
      const { whole, signs } = await measureSigns([pollLater, pollLater, answer, stage.drain]);
      expect(signs).toEqual([
        '# POST #/issues/comments/#/reactions',
        '# POST #/issues/comments/#/reactions',
        '# PATCH #/issues/comments/#',
      ]);
      expectAtMost(14, whole.list.filter(isCounted));
      expect(whole.counted).toBeLessThanOrEqual(14);
    });

    it('is 4 writes above an issue and its pull request, no read, and at most 18 counted requests', async () => {
      await openPull();
      await restWithSigns();
      await openIssue();
      const { whole, signs } = await measureSigns([pollLater, () => stage.work(fix), stage.drain]);
      expect(signs).toEqual([
        '# POST #/issues/3/reactions',
        '# POST #/issues/3/comments',
        '# POST #/issues/3/reactions',
        '# PATCH #/issues/comments/#',
      ]);
      expectAtMost(18, whole.list.filter(isCounted));
      expect(whole.counted).toBeLessThanOrEqual(18);
    });
  });

  it('is at most 9 counted requests from a labeled issue to its pull request, and 13 with the polls that read it', async () => {
    await openPull();
    await rest();
    await openIssue();
    const whole = await measure(async () => {
      await pollLater();
      await stage.work(fix);
      await stage.speak();
    });
    expectAtMost(9, whole.list.filter(isCounted));
    expect(whole.counted).toBeLessThanOrEqual(9);
    expect(whole.list.filter((request) => request.endsWith(`POST /repos/${NAME}/pulls`))).toHaveLength(1);
    const later = await measure(async () => {
      await stage.drain();
      await rest();
    });
    expectAtMost(13 - whole.counted, later.list.filter(isCounted));
  });
});
