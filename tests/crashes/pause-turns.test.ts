import { armFailpoint } from '@mergexo/core/basics';
import type { SteerOrder } from '@mergexo/core/ledger';
import { LIVE_STATES, type PlanResult, StartContext, type TurnKind } from '@mergexo/core/turns';
import { steerWork } from '@mergexo/poller';
import { answerAll, talk } from '../stage/answer-all.js';
import { aFinding, playFix, playReview } from '../stage/review-play.js';
import { Crash, createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

/** Every failpoint that the poller passes during a turn, unless a scenario adds its own. */
const OF_TURNS = [
  'poller:feed-read',
  'poller:cursor-moved',
  'poller:remarks-read',
  'poller:turn-opened',
  'poller:begin-written',
  'poller:freeze-read',
  'poller:freeze-written',
  'poller:finish-written',
  'poller:action-sending',
  'poller:action-answered',
  'poller:action-settled',
  'poller:turn-settled',
];
const DOC = 'docs/design/1-login.md';
const DESIGN = `---\nissue: 1\ntouch_paths: [src/*]\n---\n\n# Login\n\n## Acceptance criteria\n\n- It works.\n`;

type Scenario = {
  name: string;
  points: readonly string[];
  review?: string;
  label: 'agent:bugfix' | 'agent:design';
  /** What people do before the failpoint is armed, and after. */
  before?: (stage: Stage) => Promise<unknown>;
  after: (stage: Stage) => Promise<unknown>;
  /** What must exist on GitHub at the end, each exactly once. */
  results: { pulls: number; replies: number; comments: number; reviews: number; redirects: number };
};
const NONE = { pulls: 1, replies: 0, comments: 0, reviews: 0, redirects: 0 };

const openPull = (stage: Stage) => runUntilIdle(stage);
const SCENARIOS: readonly Scenario[] = [
  {
    name: 'feedback',
    points: [...OF_TURNS, 'poller:action-answered#2', 'poller:action-sending#3', 'poller:turn-checked'],
    label: 'agent:bugfix',
    before: openPull,
    after: async ({ alice }) => {
      for (const line of [1, 2])
        await alice.reviewComment(NAME, 2, { path: 'fix.txt', line, body: `Why ${line}?` });
      await alice.comment(NAME, 2, 'And in general?');
    },
    results: { ...NONE, replies: 2, comments: 1 },
  },
  {
    name: 'a review and its fix',
    points: [
      ...OF_TURNS.slice(3),
      ...['turn-opened', 'begin-written', 'freeze-written'].map((at) => `poller:${at}#2`),
      ...[2, 3, 4].map((nth) => `poller:action-answered#${nth}`),
      'poller:turn-checked',
    ],
    review: 'enabled = true',
    label: 'agent:bugfix',
    before: async (stage) => {
      await stage.poll();
      await play(stage);
      for (let i = 0; i < 3; i += 1) await stage.drain();
    },
    after: async () => {},
    results: { ...NONE, reviews: 2, replies: 1 },
  },
  {
    name: 'an implementation',
    points: [...OF_TURNS, 'poller:gate-checked'],
    label: 'agent:design',
    before: openPull,
    after: ({ alice }) => alice.merge(NAME, 2),
    results: { ...NONE, pulls: 2 },
  },
  {
    name: 'a start with a new comment',
    points: [
      'poller:gate-checked',
      'poller:turn-deferred',
      'poller:turn-opened#2',
      'poller:freeze-written#2',
      'poller:gate-checked#2',
    ],
    label: 'agent:bugfix',
    after: async () => {
      commentDuringStart = true;
    },
    results: NONE,
  },
  {
    name: 'a redirect',
    points: ['redirect-planned', 'action-sending', 'action-answered'].map((at) => `poller:${at}`),
    label: 'agent:bugfix',
    before: openPull,
    after: ({ alice }) => alice.comment(NAME, 1, 'And now?'),
    results: { ...NONE, redirects: 1 },
  },
];
let commentDuringStart = false;

const CHANGE: PlanResult = { kind: 'pull', title: 'Change', summary: 'Done.', design: null };
const PLAN: PlanResult = {
  ...CHANGE,
  design: { path: DOC, priority: 3, touchPaths: ['src/*'], dependsOn: [], estimatedSize: 'S' },
};

/** Plays the worker in the turn that waits for one. Returns false if none waits. */
async function play(stage: Stage): Promise<boolean> {
  const [turn] = (['open', 'queued'] as const).flatMap((name) => stage.state.listTurnsInState(name));
  if (turn === undefined) return false;
  await PLAYS[turn.kind](stage);
  return true;
}

const playStart = (kind: TurnKind) => (stage: Stage) =>
  stage.perform([kind], async (begun) => {
    const { branch } = StartContext.parse(begun.context);
    const isDesign = kind === 'design_start';
    const files = isDesign ? { [DOC]: DESIGN } : { 'fix.txt': `one\ntwo\n${begun.turnKey}\n` };
    const sha = await stage.twin.as('robot').pushFiles(NAME, branch, files);
    if (commentDuringStart) await stage.alice.comment(NAME, 1, 'One thing more.');
    commentDuringStart = false;
    return { result: isDesign ? PLAN : CHANGE, commit: { branch, startSha: 'e'.repeat(40), sha } };
  });
const PLAYS: Record<TurnKind, (stage: Stage) => Promise<unknown>> = {
  bugfix_start: playStart('bugfix_start'),
  small_job_start: playStart('small_job_start'),
  design_start: playStart('design_start'),
  implementation_start: playStart('implementation_start'),
  design_feedback: (stage) => stage.answer(talk),
  implementation_feedback: (stage) =>
    stage.answer(async (context) => {
      const files = { 'fix.txt': 'as you asked\n' };
      const sha = await stage.twin.as('robot').pushFiles(NAME, context.branch, files);
      return { result: answerAll(context), sha };
    }),
  review: (stage) => playReview(stage, ({ round }) => (round === 1 ? [aFinding()] : [])),
  review_fix: (stage) => playFix(stage, { files: { 'fix.txt': 'fixed\n' } }),
};

async function step(stage: Stage): Promise<void> {
  const restartOnCrash = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      stage.restart();
    }
  };
  stage.advance(DEBOUNCE_MS);
  await restartOnCrash(stage.poll);
  await restartOnCrash(() => play(stage));
  for (let i = 0; i < 3; i += 1) await restartOnCrash(stage.drain);
  if (stage.state.listUnsettledActions().length > 0) stage.advance(WINDOW_MS);
}

async function runUntilIdle(stage: Stage): Promise<void> {
  for (let quiet = 0, steps = 0; quiet < 4 && steps < 60; steps += 1) {
    await step(stage);
    quiet = listLive(stage).length === 0 ? quiet + 1 : 0;
  }
}

const listLive = ({ state }: Stage) => LIVE_STATES.flatMap((name) => state.listTurnsInState(name));

async function readResults({ github, state, repo }: Stage): Promise<Scenario['results']> {
  const ours = ({ author }: { author: { login: string } }) => author.login === 'robot';
  const threads = await Promise.all([1, 2].map((number) => github.fetchThread(NAME, number)));
  const [onIssue = [], onPull = []] = threads.map(({ comments }) => comments.filter(ours));
  const lines = (await github.fetchReviewComments(NAME, 2)).comments.filter(ours);
  const page = await github.fetchReviews(NAME, 2, null);
  const reviews = page.kind === 'changed' ? page.rows.filter(({ body }) => body !== '') : [];
  const pulls = state.listRunsOfIssue(repo.id, 1).flatMap(({ prNumber }) => prNumber ?? []);
  const opened = await Promise.all(pulls.map((number) => github.fetchPull(NAME, number)));
  return {
    pulls: opened.length,
    replies: lines.filter(({ inReplyToId }) => inReplyToId !== null).length,
    comments: onPull.length,
    reviews: reviews.length,
    redirects: onIssue.filter(({ body }) => body.includes('no longer acts on comments here')).length,
  };
}

describe.each(SCENARIOS)('a pause right after the poller crashed during $name', (scenario) => {
  let stage: Stage;
  beforeEach(async () => {
    commentDuringStart = false;
    stage = await createStage(scenario.review === undefined ? {} : { review: scenario.review });
  });
  afterEach(async () => {
    armFailpoint('poller:feed-read#1000000', () => {});
    await stage.close();
  });

  const steer = (order: SteerOrder) => {
    const { state, now, log } = stage.common();
    const request = { requestId: `${order}-1`, by: 'cli', expiresAt: now() + 1_000, reason: null };
    return steerWork({ state, now, log }, { kind: 'steer', ...request, order, repo: null, number: null });
  };
  const writes = () => stage.twin.history.list('write').length;

  it.each(scenario.points)('at %s holds, and loses nothing', async (point) => {
    await stage.alice.openIssue(NAME, { title: 'Login', body: 'Fails.', labels: [scenario.label] });
    await scenario.before?.(stage);
    let pausedAt: { event: number; isWorking: boolean; writes: number } | undefined;
    armFailpoint(point, () => {
      throw new Crash(point);
    });
    stage.onRestart(() => {
      if (pausedAt !== undefined) return;
      expect(steer('pause')).toMatchObject({ changed: true });
      const event = stage.state.listEventsAfter(0, 100_000).at(-1)?.id ?? 0;
      const isBegun = listLive(stage).some(({ begins }) => begins.length > 0);
      // A turn that a worker has begun continues despite the pause.
      const isWorking = isBegun || stage.state.listUnsettledActions().length > 0;
      pausedAt = { event, isWorking, writes: writes() };
    });
    await scenario.after(stage);
    for (let i = 0; i < 20 && pausedAt === undefined; i += 1) await step(stage);
    if (pausedAt === undefined) throw new Error(`the poller did not pass ${point}`);
    for (let i = 0; i < 5; i += 1) await step(stage);

    const since = stage.state.listEventsAfter(pausedAt.event, 100_000);
    expect(since.filter(({ type }) => type === 'turn_begun')).toEqual([]);
    if (!pausedAt.isWorking) expect(writes()).toBe(pausedAt.writes);
    expect(listLive(stage).filter(({ begins }) => begins.length > 0)).toEqual([]);

    expect(steer('resume')).toMatchObject({ changed: true });
    await runUntilIdle(stage);
    expect(await readResults(stage)).toEqual(scenario.results);
    expect(stage.state.listUnsettledActions()).toEqual([]);
  });
});
