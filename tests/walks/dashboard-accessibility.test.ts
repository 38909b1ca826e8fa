import { join } from 'node:path';
import { StepKind } from '@mergexo/core/agent';
import type { State } from '@mergexo/state';
import { createTemporaryDirectory, onlyWith, type Program } from '@mergexo/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { collectComplaints, missingBrowser, openBrowser } from '../browser/browser.js';
import { COLOR_RULES, findViolations } from '../browser/find-violations.js';
import {
  addBlocked,
  addComment,
  addHistory,
  addPull,
  addRepository,
  addRun,
  addRunningTurn,
  createDashboardStage,
  type DashboardStage,
  HOSTILE,
} from '../fleet/dashboard-stage.js';

const LOOKS = [
  [1_400, 'light'],
  [1_400, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const;
const PAGES = [
  '',
  'issues',
  'issues?q=nothing+matches',
  'issues/o/n/52',
  'issues/o/n/53',
  'issues/o/n/108',
  'turns/running',
  'turns/ended',
  'workers',
  'repositories',
  'costs?by=issue',
  'costs?by=day',
  'activity',
  'steer/pause',
  'steer/pause/o/n',
  'steer/pause/o/n/52',
  'steer/resume/o/n/51',
  'steer/cancel/o/n/53',
  'steer/skip-review/o/n/52',
  'unblock/o/n/8',
];
/** Pages with another status than 200. */
const ERROR_PAGES = [
  'nothing',
  'issues/o/n/999',
  `turns/${'0'.repeat(64)}`,
  'steer/resume',
  'steer/cancel/o/n/52',
  'unblock/o/n/13',
];

onlyWith(missingBrowser).describe('the accessibility of the dashboard', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let stage: DashboardStage;
  let base: string;
  let poller: Program;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let turns: Turns;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    stage = await createDashboardStage();
    turns = stage.edit(fill);
    const started = await Promise.all([stage.startDashboard(), stage.fleet.startPoller()]);
    [base, poller] = started;
    context = await openBrowser(join(directory.path, 'profile'));
    page = context.pages()[0] ?? (await context.newPage());
    complaints = collectComplaints(page);
  });
  afterAll(async () => {
    await context?.close();
    await stage?.close();
    directory?.remove();
  });
  beforeEach(() => {
    complaints.length = 0;
  });

  /** The keys of turns are not known in advance. */
  const urlOf = (path: string): string =>
    base +
    path.replace('turns/running', `turns/${turns.running}`).replace('turns/ended', `turns/${turns.ended}`);
  const look = async ([width, colorScheme]: (typeof LOOKS)[number]): Promise<void> => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
  };
  const rulesOf = ([, colorScheme]: (typeof LOOKS)[number]) => (colorScheme === 'dark' ? COLOR_RULES : null);
  /** Checks the shown page in every look, without loading it again. */
  const checkShown = async (): Promise<void> => {
    for (const one of LOOKS) {
      await look(one);
      expect([one, await findViolations(page, rulesOf(one))]).toEqual([one, []]);
    }
  };
  const submit = async (path: string, change = ''): Promise<void> => {
    await page.goto(base + path);
    await page.evaluate(change);
    await page.locator('.confirm button[type="submit"]').click();
    await page.waitForLoadState();
  };

  describe.each(LOOKS)('at %d px in %s colors', (...one) => {
    it.each(PAGES)('has no violation and is not too wide at %s', async (path) => {
      await look(one);
      await page.goto(urlOf(path));
      expect(await findViolations(page, rulesOf(one))).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });

  it.each(ERROR_PAGES)('has no violation on the error page at %s', async (path) => {
    const response = await page.goto(base + path);
    expect(response?.status()).toBe(404);
    await checkShown();
  });

  it('has no violation on a turn page that gets steps live', async () => {
    await page.goto(urlOf('turns/running'));
    await page.getByText('live', { exact: true }).waitFor();
    stage.edit((state) => addSteps(state, turns.running, 20));
    await page.getByText('edit 20').waitFor();
    await checkShown();
    expect(complaints).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    ['a change', 'steer/pause/o/n/52', '', 'Paused o/n#52'],
    ['no change', 'steer/pause/o/n/52', '', 'Nothing to do'],
    [
      'an expired confirmation',
      'steer/pause',
      `document.querySelector('[name=token]').value = '${'0'.repeat(64)}'`,
      'Confirmation expired',
    ],
    [
      'an invalid form',
      'steer/pause',
      "Object.assign(document.querySelector('#reason'), { maxLength: 999, value: 'x'.repeat(301) })",
      'Invalid form',
    ],
  ])('has no violation on the page that reports %s', async (_what, path, change, heading) => {
    if (heading === 'Nothing to do') await page.goto(base + path);
    else await submit(path, change);
    await page.getByRole('heading', { name: heading }).waitFor();
    await checkShown();
  });

  it('has no violation on the page that reports a rejected request', async () => {
    await page.goto(`${base}steer/cancel/o/n/53`);
    stage.edit((state) => {
      const turn = state.readTurn(turns.running);
      if (turn) state.saveTurn({ ...turn, state: 'speaking' });
    });
    await page.getByRole('button', { name: 'Cancel the turn' }).click();
    await page.getByRole('heading', { name: 'Request rejected' }).waitFor();
    await checkShown();
  });

  it('has no violation on the page that reports a missing response', async () => {
    await page.goto(`${base}steer/pause`);
    poller.kill('SIGSTOP');
    try {
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('heading', { name: 'No response from the poller' }).waitFor();
    } finally {
      poller.kill('SIGCONT');
    }
    await checkShown();
  });
});

type Turns = { running: string; ended: string };

function fill(state: State): Turns {
  const now = Date.now();
  addRepository(state);
  addBlocked(state, 7);
  addBlocked(state, 8, HOSTILE);
  addRun(state, 51, 'Let people search by date');
  state.recordPause({ repoId: 1, issueNumber: 51, since: now, by: 'ada', reason: HOSTILE });
  const answered = addPull(state, 52, 12, 'The export forgets the last row');
  const eventKey = addComment(state, answered, 900, 90_000);
  state.markEventProcessed({ repoId: 1, eventKey }, now);
  addHistory(state, answered);
  const pull = state.readPull(1, 12);
  if (pull) state.savePull({ ...pull, humanReviewRequired: true }, now);
  const ended = state.listTurnsOfRun(answered.id)[0]?.turnKey ?? '';
  const running = addRunningTurn(state, addPull(state, 53, 13, 'Explain the retry limits'));
  for (const turnKey of [ended, running]) addSteps(state, turnKey, 0);
  return { running, ended };
}

/** Adds a step of every kind, with texts that no line is wide enough for. */
function addSteps(state: State, turnKey: string, first: number): void {
  const steps = StepKind.options.map((kind) => ({
    kind,
    text: `${kind} ${first} ${HOSTILE} ${'x'.repeat(300)}`,
  }));
  state.recordAgentSteps({ turnKey, attempt: 1, first, steps }, Date.now());
}
