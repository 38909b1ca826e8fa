import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@mergexo/state';
import { createTemporaryDirectory, eventually, onlyWith } from '@mergexo/testkit';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { collectComplaints, missingBrowser, openBrowser } from '../browser/browser.js';
import { findViolations } from '../browser/find-violations.js';
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
  let answeredRun: Run;
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
      answeredRun = answered;
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
    await page.evaluate("document.querySelector('#queue').scrollIntoView()");
    await page.screenshot({ path: join(shots, 'fleet-narrow.png') });
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });

    stage.edit((state) => addBlocked(state, 9, 'Blocked a moment ago'));
    await page.getByText('Blocked a moment ago').first().waitFor();
    await page.goto(`${base}issues/o/n/108`);
    await page.getByText('The pull request is blocked').waitFor();
    await shoot('issue');
    expect(await page.title()).toMatch(/^\(\d\) Blocked: .* · o\/n#108 · MergeXO$/);
    expect(complaints).toEqual([]);
  });

  it('keeps what a visitor unfolded and focused while the page refreshes itself', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${base}issues/o/n/52`);
    await page.getByText('live', { exact: true }).waitFor();
    const second = page.locator('details.turn').nth(1);
    await second.locator('> summary').click();
    await page.locator('details.turn').first().locator('> summary').click();
    stage.edit((state) => addComment(state, answeredRun, 990, 0, { body: 'A new comment' }));
    await page.getByText('A new comment').first().waitFor();
    expect([
      await second.getAttribute('open'),
      await page.locator('details.turn').first().getAttribute('open'),
    ]).toEqual(['', null]);
  });

  it('shows a new title and badge when something needs a person', async () => {
    await page.goto(`${base}workers`);
    await page.getByText('live', { exact: true }).waitFor();
    const before = await page.title();
    stage.edit((state) => addBlocked(state, 90, 'Blocked while the page is open'));
    await eventually(async () => expect(await page.title()).not.toBe(before));
    const count = await page.locator('header nav .count').innerText();
    expect(await page.title()).toBe(`(${count}) Workers · MergeXO`);
  });

  it('obeys keyboard shortcuts, and ? lists them', async () => {
    await page.goto(base);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForURL(`${base}issues`);
    await page.keyboard.press('/');
    await page.keyboard.type('export g?');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}issues?q=export%20g%3F`);
    await page.goto(`${base}issues?q=export`);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}issues/o/n/52`);
    expect(complaints).toEqual([]);
  });

  it('remembers the chosen theme', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(base);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    const dark = await background();
    await page.goto(`${base}workers`);
    expect([light === dark, await background()]).toEqual([false, dark]);
    await page.keyboard.press('t');
    expect(await background()).toBe(light);
  });

  it('pauses an issue with a reason and resumes it from the banner', async () => {
    await page.goto(`${base}issues/o/n/51`);
    await page.getByRole('link', { name: 'Pause…' }).click();
    await page.getByLabel('Reason').fill('waiting for the release');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('heading', { name: 'Paused o/n#51' }).waitFor();
    await page.goto(`${base}costs`);
    await page.getByText('o/n#51 is paused').waitFor();
    await page.getByText('waiting for the release').waitFor();
    await page.getByRole('link', { name: 'Resume…' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('heading', { name: 'Resumed o/n#51' }).waitFor();
    expect(await page.locator('#banners .pause').count()).toBe(0);
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
    await page.getByRole('main').getByRole('link', { name: 'Home' }).click();
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
