import { join } from 'node:path';
import type { State } from '@mergexo/state';
import { createTemporaryDirectory, onlyWith } from '@mergexo/testkit';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { missingBrowser, openBrowser } from '../browser/browser.js';
import {
  addBlocked,
  addHeartbeat,
  addPull,
  addRepository,
  addRun,
  addRunningTurn,
  createDashboardStage,
  type DashboardStage,
} from '../fleet/dashboard-stage.js';

const HOUR_MS = 3_600_000;
const MAX_CLICKS = 3;

/** Finds the link that a person clicks. */
type Find = (page: Page) => Locator;
const link =
  (name: string): Find =>
  (page) =>
    page.getByRole('link', { name, exact: true }).first();
/** The title of the row that contains the text. */
const row =
  (text: string): Find =>
  (page) =>
    page.locator('.row', { hasText: text }).first().locator('a.goal');

/** A question, the links to follow from the home page on, and the answer that the last page shows. */
type Question = { question: string; clicks: readonly Find[]; answer: RegExp };

const QUESTIONS: readonly Question[] = [
  {
    question: 'Which pull request waits for me?',
    clicks: [],
    answer: /Needs you \d+.*The export forgets the last row.*o\/n#52 · Bug fix · PR #12.*Review and merge/,
  },
  {
    question: 'Why did #8 stop?',
    clicks: [row('PR #8')],
    answer: /The pull request is blocked history rewritten The history was rewritten\..*1 unanswered comment/,
  },
  {
    question: 'What did #5 cost?',
    clicks: [link('Cost'), link('Issue')],
    answer: /o\/n#5 Sort the invoices \$1\.55 5 5 codex gpt-5 25m 200k 150k 10k/,
  },
  { question: 'Is the poller alive?', clicks: [], answer: /Poller polled just now/ },
  {
    question: 'What does the agent do right now?',
    clicks: [link('runs: npm test')],
    answer: /Steps .*reads src\/retry\.ts.*runs npm test/,
  },
  {
    question: 'Who paused what?',
    clicks: [],
    answer: /o\/n#51 is paused by ada since [\d-]+ [\d:]+Z: waiting for the release/,
  },
  {
    question: 'How many are queued, and why?',
    clicks: [],
    answer: /Queue 2 .*Add a dark theme .*Waiting for free capacity: 2 of 2 runs are open/,
  },
  { question: 'What did today cost?', clicks: [], answer: /Spent today \$0\.62/ },
  { question: 'Which worker is down?', clicks: [link('1 of 1 busy, 1 down')], answer: /local@far-7-ab down/ },
  {
    question: 'When is the repository polled again, and how much of the rate limit is left?',
    clicks: [link('Repositories')],
    answer: /o\/n ok .*Next poll: (?:now|by [\d:]+ UTC).*Rate limit of robot 4321 of 5000 requests left/,
  },
];

onlyWith(missingBrowser).describe('a person who starts at the home page', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let stage: DashboardStage;
  let base: string;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    directory = createTemporaryDirectory();
    stage = await createDashboardStage();
    stage.edit(fill);
    base = await stage.startDashboard();
    context = await openBrowser(join(directory.path, 'profile'));
    page = context.pages()[0] ?? (await context.newPage());
  });
  afterAll(async () => {
    await context?.close();
    await stage?.close();
    directory?.remove();
  });
  beforeEach(() => stage.edit(addHeartbeat));

  /** The text that a person sees, on one line. */
  const readText = async (): Promise<string> => (await page.locator('body').innerText()).replace(/\s+/g, ' ');

  describe.each([1_400, 390])('at %d px', (width) => {
    it.each(QUESTIONS)('shows the answer within three clicks: $question', async ({ clicks, answer }) => {
      expect(clicks.length).toBeLessThanOrEqual(MAX_CLICKS);
      await page.setViewportSize({ width, height: 900 });
      await page.goto(base);
      for (const find of clicks) {
        const target = await find(page).getAttribute('href');
        await find(page).click();
        await page.waitForURL(new URL(target ?? '', base).href);
      }
      expect(await readText()).toMatch(answer);
    });
  });
});

function fill(state: State): void {
  const now = Date.now();
  addRepository(state);
  addBlocked(state, 8);
  addPull(state, 52, 12, 'The export forgets the last row');
  addRun(state, 51, 'Let people search by date');
  state.recordPause({ repoId: 1, issueNumber: 51, since: now, by: 'ada', reason: 'waiting for the release' });
  const queued = addRun(state, 54, 'Add a dark theme');
  state.saveRun({ ...queued, blockedKind: 'max_open_runs', error: '2 of 2 runs are open' }, now);
  const done = addPull(state, 5, 15, 'Sort the invoices');
  state.saveRun({ ...done, status: 'merged' }, now);
  const turnKey = addRunningTurn(state, addPull(state, 53, 13, 'Explain the retry limits'));
  const steps = [
    { kind: 'read', text: 'src/retry.ts' },
    { kind: 'run', text: 'npm test' },
  ] as const;
  state.recordAgentSteps({ turnKey, attempt: 2, first: 0, steps }, now);
  addSpend(state, done.id, now);
  const payload = { worker: 'local@far-7-ab', host: 'far', pid: 7, turns: 0 };
  state.recordEvent({ type: 'worker_heartbeat_timeout', payload }, now - 60_000);
  state.saveRateLimit({ login: 'robot', limit: 5_000, left: 4_321, resetsAt: now + HOUR_MS }, now);
}

/** Adds two attempts of today and three of yesterday. */
function addSpend(state: State, runId: number, now: number): void {
  const used = { inputTokens: 40_000, cachedTokens: 30_000, outputTokens: 2_000, durationMs: 300_000 };
  const about = { repoId: 1, runId, attempt: 1, adapter: 'codex', model: 'gpt-5', costUsd: 0.31, ...used };
  for (const [index, daysAgo] of [0, 0, 1, 1, 1].entries())
    state.recordSpend({ ...about, turnKey: String(index).repeat(64) }, now - daysAgo * 24 * HOUR_MS);
}
