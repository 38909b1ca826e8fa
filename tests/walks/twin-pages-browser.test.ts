import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const REPO = 'acme/app';

const installed = existsSync(BROWSER);
if (!installed && process.env['CI'] === 'true')
  throw new Error(`${BROWSER} is not installed: the pages cannot be tested in a real browser`);
if (!installed) process.stderr.write(`${BROWSER} is not installed: tests in a real browser are skipped\n`);
const describeIf = installed ? describe : describe.skip;

describeIf(`the twin's pages in ${BROWSER}${installed ? '' : ', which is not installed'}`, () => {
  const troubles: string[] = [];
  let profile: string;
  let twin: Twin;
  let context: BrowserContext;
  let page: Page;
  let number: number;

  beforeAll(async () => {
    profile = mkdtempSync(join(realpathSync(tmpdir()), 'twin-browser-'));
    twin = await startTwin({
      pages: true,
      seed: {
        users: [
          { login: 'acme', type: 'Organization' },
          { login: 'alice' },
          { login: 'bob' },
          { login: 'robot[bot]' },
        ],
        repos: [
          {
            name: REPO,
            permissions: { alice: 'admin', bob: 'write', 'robot[bot]': 'write' },
            files: { 'src/greet.js': "export const greet = (name) => 'Hello ' + name;\n" },
          },
        ],
      },
    });
    const robot = twin.as('robot[bot]');
    await robot.pushFiles(REPO, 'topic', {
      'src/greet.js': "export const greet = (name) => 'Hello, ' + name;\n",
    });
    const body = 'Adds a comma.<img src=x onerror="document.title = \'hacked\'">';
    number = await robot.openPull(REPO, { title: 'Greet politely', head: 'topic', body });
    context = await chromium.launchPersistentContext(profile, { executablePath: BROWSER, args: FLAGS });
    page = context.pages()[0] ?? (await context.newPage());
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
  });

  afterAll(async () => {
    await context?.close();
    await twin?.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  it('lets a visitor comment, comment on a line, and see the answers appear', async () => {
    await page.goto(`${twin.url}/${REPO}/pull/${number}`);
    await page.click('#picker summary');
    await page.click('#picker button:has-text("alice")');
    await page.waitForSelector('#picker summary:has-text("alice")');

    await page.fill('#comment-body', 'Is a comma **enough**?');
    await page.click('button:has-text("Comment")');
    await page.waitForSelector('.timeline .comment strong:text("enough")');
    await twin.as('robot[bot]').comment(REPO, number, 'It is, for now.');
    await page.waitForSelector('.timeline .comment:has-text("It is, for now.")');

    await page.click('nav a:has-text("Files changed")');
    await page.hover('tr.added');
    await page.click('tr.added a.add');
    await page.fill('#line-body', 'Why a comma here?');
    await page.click('button:has-text("Add single comment")');
    await page.waitForSelector('.thread:has-text("Why a comma here?")');
    const asked = twin.world.store.reviewComments.all().at(-1);
    expect([asked?.place.line, asked?.place.path]).toEqual([1, 'src/greet.js']);

    const draft = page.locator(`#reply-${asked?.id}`);
    await draft.fill('Half a thought');
    await twin.as('robot[bot]').reply(REPO, number, asked?.id ?? 0, 'Because of politeness.');
    await page.waitForSelector('.thread-comment:has-text("Because of politeness.")');
    expect(await draft.inputValue()).toBe('Half a thought');
    expect(await draft.evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
    expect(twin.control.violations()).toEqual([]);
  });

  it('shows a merge that happens elsewhere, and runs nothing that others wrote', async () => {
    await page.goto(`${twin.url}/${REPO}/pull/${number}`);
    await page.waitForSelector('#merge-box button');
    await twin.as('bob').merge(REPO, number, 'squash');
    await page.waitForSelector('#merge-box:has-text("successfully merged")');
    await page.waitForSelector('#issue-head .state:has-text("Merged")');
    expect(await page.title()).toContain('Greet politely');
    expect(troubles).toEqual([]);
  });
});
