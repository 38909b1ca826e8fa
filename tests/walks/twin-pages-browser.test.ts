import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { onlyWith } from '@mergexo/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { collectComplaints, missingBrowser, openBrowser } from '../browser/browser.js';

const REPO = 'acme/app';

onlyWith(missingBrowser).describe("the twin's pages in a browser", () => {
  let troubles: string[];
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
    context = await openBrowser(profile);
    page = context.pages()[0] ?? (await context.newPage());
    troubles = collectComplaints(page);
  });

  afterAll(async () => {
    await context?.close();
    await twin?.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  it('let a visitor comment, comment on a line, and see the answers appear', async () => {
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
    await twin.as('robot[bot]').reply(REPO, asked?.id ?? 0, 'Because of politeness.');
    await page.waitForSelector('.thread-comment:has-text("Because of politeness.")');
    expect(await draft.inputValue()).toBe('Half a thought');
    expect(await draft.evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
    expect(twin.control.violations()).toEqual([]);
  });

  it('show a merge that happens elsewhere, and run no script that others wrote', async () => {
    await page.goto(`${twin.url}/${REPO}/pull/${number}`);
    await page.waitForSelector('#merge-box button');
    await twin.as('bob').merge(REPO, number, 'squash');
    await page.waitForSelector('#merge-box:has-text("successfully merged")');
    await page.waitForSelector('#issue-head .state:has-text("Merged")');
    expect(await page.title()).toContain('Greet politely');
    expect(troubles).toEqual([]);
  });
});
