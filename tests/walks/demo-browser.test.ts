import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, eventually, onlyWith } from '@mergexo/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { collectComplaints, missingBrowser, openBrowser } from '../browser/browser.js';
import { type Demo, startDemo } from '../browser/demo.js';
import { type ProcessTree, watchProcessTree } from '../browser/process-tree.js';
import { type Visit, visitPages } from '../browser/visit-pages.js';

/** Replies take seconds, but a busy machine may need longer. */
const PATIENCE_MS = 60_000;

/** Runs in the browser. The code is a string because these files are compiled without browser types. */
const UNFOLD = "for (const fold of document.querySelectorAll('details')) fold.open = true";

onlyWith(missingBrowser).describe('a visitor to the demo', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let tmpDir: string;
  let demo: Demo;
  let processTree: ProcessTree;
  let watching: NodeJS.Timeout;
  let context: BrowserContext;
  let twinPage: Page;
  let fleetPage: Page;
  let complaints: string[][];
  let pullUrl: string;
  let number: number;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    tmpDir = join(directory.path, 't');
    mkdirSync(tmpDir);
    demo = startDemo(tmpDir);
    processTree = watchProcessTree(demo.program.pid);
    watching = setInterval(() => processTree.record(), 500);
    await demo.untilInvited();
    pullUrl = demo.urlOf(/is open for you to review/);
    number = Number(/\/pull\/(\d+)$/.exec(pullUrl)?.[1]);
    context = await openBrowser(join(directory.path, 'profile'));
    context.setDefaultTimeout(PATIENCE_MS);
    twinPage = context.pages()[0] ?? (await context.newPage());
    fleetPage = await context.newPage();
    complaints = [twinPage, fleetPage].map(collectComplaints);
  });
  afterAll(async () => {
    await context?.close();
    clearInterval(watching);
    demo?.program.kill('SIGKILL');
    await demo?.program.exited;
    for (const row of processTree?.listSurvivors() ?? []) process.kill(Number.parseInt(row, 10), 'SIGKILL');
    directory?.remove();
  });

  const postComment = async (text: string): Promise<void> => {
    await twinPage.fill('#comment-body', text);
    await twinPage.click('button:has-text("Comment")');
    await twinPage.waitForSelector(`.timeline .comment:has-text("${text}")`);
  };
  const untilAnswered = (text: string): Promise<unknown> =>
    twinPage.waitForSelector(
      `.timeline .comment:has-text('Done. I recorded "${text.replace(/[.!]$/, '')}" in CHANGES.md.')`,
    );

  it('sees no error in the demo', () => {
    const { table } = demo.lines().find((line) => line.table !== undefined) ?? {};
    expect(table).toMatchObject({
      'answered twice': '0',
      'not answered': '0',
      'branch histories rewritten': '0',
    });
  });

  it.each([1_400, 390])('opens every dashboard page and every printed link at %d px', async (width) => {
    // The clone URL is not a page.
    const printed = demo.lines().flatMap(({ url = '.git' }) => (url.endsWith('.git') ? [] : [url]));
    const page = await context.newPage();
    const fleet = demo.urlOf(/^Dashboard:/);
    const shots = process.env['MERGEXO_SCREENSHOTS'];
    // Issue pages are added, because the fleet page links only to the issues of the latest turns.
    const issues = demo.issues().map((issue) => `${fleet}issues/you/todo/${issue}`);
    const visits = await visitPages(page, { start: [...printed, ...issues], follow: fleet, width, shots });
    const pathOf = ({ url }: Visit): string => url.slice(fleet.length - 1);
    const seen = visits.filter(({ url }) => url.startsWith(fleet)).map(pathOf);
    const expected = ['/', '/issues', '/workers', '/repositories', '/costs', '/activity', '/steer/pause'];
    expect(seen).toEqual(
      expect.arrayContaining([...expected, '/metrics', '/queues/', '/queues/queue/turns']),
    );
    expect(seen.filter((path) => path.startsWith('/issues/')).length).toBeGreaterThanOrEqual(5);
    expect(visits.filter(({ faults }) => faults.length > 0)).toEqual([]);
    await page.goto(fleet);
    expect(await page.locator('[id^="blocked-"]').count()).toBe(0);
    await page.close();
  });

  it('finds no raw times, JSON or Markdown in the timelines', async () => {
    const fleet = demo.urlOf(/^Dashboard:/);
    for (const issue of demo.issues()) {
      await fleetPage.goto(`${fleet}issues/you/todo/${issue}`);
      await fleetPage.evaluate(UNFOLD);
      for (const text of [await fleetPage.innerText('main'), demo.explain(issue)])
        expect(text).not.toMatch(/\d{4}-\d\d-\d\dT|\b\d{13}\b|\{"|\[\{|\*\*|attempt-\d/);
    }
  });

  it('comments on a pull request, and sees the live turn in the dashboard and then the answer', async () => {
    await fleetPage.goto(demo.urlOf(/^Dashboard:/));
    await fleetPage.getByText('live', { exact: true }).waitFor();
    await fleetPage.locator('#attention').getByText('Add a way to clear a list').waitFor();

    await twinPage.goto(pullUrl);
    await twinPage.click('#picker summary');
    await twinPage.click('#picker button:has-text("you")');
    await twinPage.waitForSelector('#picker summary:has-text("you")');
    await postComment('Say so in the notes.');
    await fleetPage.locator('#running .row', { hasText: `#${number}` }).waitFor();
    await untilAnswered('Say so in the notes.');
    await twinPage.click('nav a:has-text("Files changed")');
    await twinPage.waitForSelector('text=CHANGES.md');

    await fleetPage.locator('#running', { hasText: 'No turns are running.' }).waitFor();
    expect(complaints).toEqual([[], []]);
  });

  it('reads the timeline of the issue, and returns from there to its pull request', async () => {
    const link = fleetPage.locator('#attention a.goal', { hasText: 'Add a way to clear a list' });
    // The test does not click, because the page reloads every two seconds and a slow click could miss the link.
    await fleetPage.goto(new URL((await link.first().getAttribute('href')) ?? '', fleetPage.url()).href);
    await fleetPage.getByRole('heading', { name: 'Turns' }).waitFor();
    await fleetPage.evaluate(UNFOLD);
    for (const text of ['MergeXO started work on the issue', 'Pull request opened', 'Turn complete'])
      await fleetPage.getByText(text).first().waitFor();
    const card = fleetPage.locator('details.turn', { hasText: 'Reply to feedback' }).first();
    await card
      .locator('.talk li', { hasText: 'Say so in the notes.' })
      .getByText('answered')
      .first()
      .waitFor();
    await card.getByText('I recorded "Say so in the notes"').first().waitFor();
    await fleetPage
      .locator('.run')
      .getByRole('link', { name: `#${number}` })
      .click();
    expect(fleetPage.url()).toBe(pullUrl);
    await fleetPage.waitForSelector('.timeline .comment:has-text("Say so in the notes.")');
  });

  it('rewrites the history, finds the pull request blocked, and unblocks it after a confirmation', async () => {
    await twinPage.goto(pullUrl);
    demo.rewriteHistory(await twinPage.locator('#issue-head').innerText(), directory.path);
    await postComment('Is anybody there');
    await fleetPage.goto(demo.urlOf(/^Dashboard:/));
    const blocked = fleetPage.locator(`#blocked-you-todo-${number}`);
    await blocked.getByText('history rewritten').waitFor();
    await twinPage.waitForSelector('.timeline .comment:has-text("The history of this branch was rewritten")');
    await blocked.getByText('1 unanswered comment').waitFor();
    await blocked.getByText('Unblock').click();
    await fleetPage.getByRole('heading', { name: `Unblock you/todo#${number}?` }).waitFor();
    await fleetPage.getByLabel('accept').check();
    await fleetPage.getByRole('button', { name: 'Unblock' }).click();
    await fleetPage.getByRole('heading', { name: `you/todo#${number} resumed` }).waitFor();
    await fleetPage.getByRole('main').getByRole('link', { name: 'Home' }).click();
    await untilAnswered('Is anybody there');
    await fleetPage.locator('#attention').getByText('Add a way to clear a list').waitFor();
    expect(await blocked.count()).toBe(0);
    expect(complaints).toEqual([[], []]);
  });

  it('finds the turns and ledger queues in Bull Board, and the remaining rate limit in the metrics', async () => {
    await fleetPage.getByRole('link', { name: 'Queues' }).click();
    for (const name of ['turns', 'ledger']) await fleetPage.getByText(name).first().waitFor();
    await fleetPage.goto(`${demo.urlOf(/^Dashboard:/)}metrics`);
    const [, left] =
      /mergexo_github_rate_limit_left{login="mergexo-bot"} (\d+)/.exec(await fleetPage.innerText('body')) ??
      [];
    expect(Number(left)).toBeGreaterThan(0);
    expect(Number(left)).toBeLessThan(1_000_000);
  });

  it('ends the demo, which leaves no process or file behind', async () => {
    await context.close();
    processTree.record();
    expect(processTree.size()).toBeGreaterThan(6);
    demo.program.kill('SIGINT');
    expect(await demo.program.exited).toBe(130);
    await eventually(() => expect(processTree.listSurvivors()).toEqual([]));
    expect(readdirSync(tmpDir)).toEqual([]);
  });
});

describe('a demo that fails', () => {
  it('names and keeps its logs, and removes all its other files', async () => {
    const directory = createTemporaryDirectory();
    try {
      const demo = startDemo(directory.path, '--fast', '--step-timeout', '0.5');
      expect(await demo.program.exited).toBe(1);
      const output = demo.program.output();
      expect(output).toContain('Timed out after 0.5 s waiting for');
      const [, logs = ''] = /^Logs of .*: (\S+)$/m.exec(output) ?? [];
      expect(readdirSync(logs).toSorted()).toEqual([
        'dashboard.log',
        'poller.log',
        'worker-1.log',
        'worker-2.log',
      ]);
      expect(readdirSync(join(logs, '..'))).toEqual(['logs']);
    } finally {
      directory.remove();
    }
  });

  it('exits with code 2 for invalid arguments', async () => {
    const directory = createTemporaryDirectory();
    try {
      const demo = startDemo(directory.path, '--step-timeout', 'long');
      expect(await demo.program.exited).toBe(2);
      expect(demo.program.output()).toBe(
        'mergexo demo: --step-timeout must be a number of seconds up to 3600, not long.\n',
      );
    } finally {
      directory.remove();
    }
  });
});

describe('Ctrl-C in the demo', () => {
  it.each<[string, RegExp]>([
    ['while the demo starts Redis', /^Starting Redis/],
    ['while an agent works', /^You open issue/],
  ])('%s leaves no process or file behind', async (_when, text) => {
    const directory = createTemporaryDirectory();
    try {
      const demo = startDemo(directory.path, '--fast');
      const processTree = watchProcessTree(demo.program.pid);
      const watching = setInterval(() => processTree.record(), 100);
      try {
        await demo.until('beginning', (lines) => lines.some(({ say }) => text.test(say ?? '')));
        if (text.source.includes('issue'))
          await eventually(() => {
            processTree.record();
            expect(
              processTree.listSurvivors().filter((row) => row.includes('demo/dist/agent.js')),
            ).toHaveLength(1);
          });
        demo.program.kill('SIGINT');
        expect(await demo.program.exited).toBe(130);
        await eventually(() => expect(processTree.listSurvivors()).toEqual([]));
        expect(readdirSync(directory.path)).toEqual([]);
      } finally {
        clearInterval(watching);
        demo.program.kill('SIGKILL');
        for (const row of processTree.listSurvivors()) process.kill(Number.parseInt(row, 10), 'SIGKILL');
      }
    } finally {
      directory.remove();
    }
  });
});
