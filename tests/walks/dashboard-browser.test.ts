import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, eventually, onlyWith } from '@mergexo/testkit';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { collectComplaints, missingBrowser, openBrowser } from '../browser/browser.js';
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

onlyWith(missingBrowser).describe('the dashboard in a browser', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let stage: DashboardStage;
  let base: string;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  const contexts: BrowserContext[] = [];
  /** Directory for screenshots, which are kept only if MERGEXO_SCREENSHOTS names it. */
  let shots: string;

  const open = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const opened = await openBrowser(join(directory.path, `profile-${contexts.length}`), options);
    contexts.push(opened);
    return opened;
  };
  const shoot = (name: string) => page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    shots = process.env['MERGEXO_SCREENSHOTS'] ?? join(directory.path, 'shots');
    mkdirSync(shots, { recursive: true });
    stage = await createDashboardStage();
    stage.edit((state) => {
      addRepository(state);
      addBlocked(state, 7);
      addBlocked(state, 8, HOSTILE);
      addRun(state, 51, 'Let people search by date');
      const answered = addPull(state, 52, 12, 'The export forgets the last row');
      const eventKey = addComment(state, answered, 900, 90_000);
      state.markEventProcessed({ repoId: 1, eventKey }, Date.now());
      addHistory(state, answered);
      addRunningTurn(state, addPull(state, 53, 13, 'Explain the retry limits'));
    });
    const [url] = await Promise.all([stage.startDashboard(), stage.fleet.startPoller()]);
    base = url;
    context = await open();
    page = context.pages()[0] ?? (await context.newPage());
    complaints = collectComplaints(page);
  });
  afterAll(async () => {
    await Promise.all(contexts.map((one) => one.close()));
    await stage?.close();
    directory?.remove();
  });
  beforeEach(() => {
    complaints.length = 0;
  });

  it('shows blocked pull requests, updates itself, and runs no script from a title', async () => {
    await page.goto(base);
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.getByText("document.title='owned'").count()).toBeGreaterThan(0);
    await shoot('fleet-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shoot('fleet-dark');
    await page.setViewportSize({ width: 400, height: 800 });
    // A locator would fail if an update replaces the element at this moment.
    await page.evaluate("document.querySelector('#waiting').scrollIntoView()");
    await page.screenshot({ path: join(shots, 'fleet-narrow.png') });
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });

    stage.edit((state) => addBlocked(state, 9, 'Blocked a moment ago'));
    await page.getByText('Blocked a moment ago').first().waitFor();
    await page.goto(`${base}issues/o/n/108`);
    await page.getByText('Pull request blocked').waitFor();
    await shoot('issue');
    expect(await page.title()).toBe('o/n#108 · MergeXO');
    expect(complaints).toEqual([]);
  });

  it('unblocks a pull request after a confirmation', async () => {
    await page.goto(base);
    await page.locator('#blocked-o-n-7').getByText('Unblock').click();
    await page.getByRole('heading', { name: 'Unblock o/n#7?' }).waitFor();
    await page.getByLabel('accept').check();
    await shoot('confirm');
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('heading', { name: 'o/n#7 resumed' }).waitFor();
    await shoot('done');
    expect(stage.edit((state) => state.readPull(1, 7)?.status)).toBe('awaiting_feedback');
    await page.getByText('Back to the overview').click();
    await page.locator('#blocked-o-n-8').waitFor();
    expect(await page.locator('#blocked-o-n-7').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('lists the queues in Bull Board, without a way to change them', async () => {
    await page.goto(`${base}queues/`);
    await page.getByText('ledger').first().waitFor();
    expect(await page.getByText('turns').count()).toBeGreaterThan(0);
    await shoot('queues');
    await page.goto(`${base}queues/queue/ledger?status=completed`);
    await page.getByText('reset', { exact: true }).first().waitFor();
    await shoot('queue');
    expect(await page.getByRole('button', { name: /obliterate|empty|pause|retry|clean/i }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('works without scripts', async () => {
    const plain = await open({ javaScriptEnabled: false });
    const bare = plain.pages()[0] ?? (await plain.newPage());
    await bare.goto(base);
    await bare.locator('#blocked-o-n-8').getByText('Unblock').click();
    await bare.getByLabel('accept').check();
    await bare.getByRole('button', { name: 'Unblock' }).click();
    await bare.getByRole('heading', { name: 'o/n#8 resumed' }).waitFor();
    await eventually(() =>
      expect(stage.edit((state) => state.readPull(1, 8)?.status)).toBe('awaiting_feedback'),
    );
  });

  it('refuses a form that another site submits on behalf of the visitor', async () => {
    const evil = await context.newPage();
    await evil.setContent(`<form method="post" action="${base}unblock/o/n/9"><button>Win</button></form>`);
    const [answer] = await Promise.all([
      evil.waitForResponse((response) => response.url().includes('/unblock/')),
      evil.getByRole('button').click(),
    ]);
    expect(answer.status()).toBe(403);
    expect(stage.edit((state) => state.readPull(1, 9)?.status)).toBe('blocked');
    await evil.close();
  });
});
