/** `npm run screenshots` takes the pictures for the README and the docs, from the demo in a real browser. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { missingBrowser, openBrowser } from './browser/browser.js';
import { type Demo, startDemo } from './browser/demo.js';

const IMAGES = process.env['MERGEXO_IMAGES'] ?? fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** File size limit of a picture, which keeps clones of the repository small. Pages show the pictures scaled down. */
const MAX_BYTES = 150_000;
const WIDTH = 1_100;
const PHONE_WIDTH = 390;

if (missingBrowser !== undefined) throw new Error(`Screenshots need a browser: ${missingBrowser}.`);
mkdirSync(IMAGES, { recursive: true });
const directory = createTemporaryDirectory();
const demo = startDemo(directory.path);
let browser: BrowserContext | undefined;
try {
  await demo.untilInvited();
  const viewport = { width: WIDTH, height: 800 };
  browser = await openBrowser(join(directory.path, 'profile'), {
    viewport,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = browser.pages()[0] ?? (await browser.newPage());
  page.setDefaultTimeout(60_000);
  await shootAll(page, demo);
} finally {
  await browser?.close();
  demo.program.kill('SIGINT');
  await demo.program.exited;
  directory.remove();
}

async function shootAll(page: Page, demo: Demo): Promise<void> {
  const design = demo.urlOf(/^The agent wrote a design/);
  const pull = demo.urlOf(/is open for you to review/);
  const fleet = demo.urlOf(/^Dashboard:/);

  await page.goto(design);
  await page.click('#picker summary');
  await page.click('#picker button:has-text("you")');
  await page.waitForSelector('#picker summary:has-text("you")');
  await shoot(page, 'pull-request', 1_150);
  await page.goto(demo.urlOf(/^You label issue/));
  await shoot(page, 'issue', 620);

  await page.goto(pull);
  await comment(page, 'Please mention it in the notes.');
  await page.goto(fleet);
  await page.locator('#running .row').waitFor();
  await shoot(page, 'dashboard', 1_000);
  await page.locator('#running a.line').first().click();
  await page.locator('#facts', { hasText: 'Ended' }).waitFor();
  await shoot(page, 'turn', 760);
  await page.goto(fleet);
  await page.locator('#running', { hasText: 'No turns are running.' }).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, 'dashboard-dark', 900);
  await page.emulateMedia({ colorScheme: 'light' });
  await shoot(page, 'dashboard-phone', 844, PHONE_WIDTH);
  await page.locator('#attention a.goal').first().click();
  // Opens the turn with a comment and its answer instead of the latest review.
  await page.locator('details.turn > summary').first().click();
  await page.locator('details.turn > summary', { hasText: 'Reply to feedback' }).first().click();
  await page.evaluate('scrollTo(0, 0)');
  await shoot(page, 'timeline', 1_000);
  await page.goto(`${fleet}costs?by=issue`);
  await shoot(page, 'cost', 800);
  await page.goto(`${fleet}queues/queue/ledger?status=completed`);
  await page.getByText('heartbeat').first().waitFor();
  await shoot(page, 'queues', 760);

  await page.goto(pull);
  demo.rewriteHistory(await page.locator('#issue-head').innerText(), directory.path);
  await comment(page, 'And now?');
  await page.goto(fleet);
  await page.locator('[id^="blocked-"]').getByText('1 unanswered comment').waitFor();
  await shoot(page, 'blocked', 560);
}

async function comment(page: Page, text: string): Promise<void> {
  await page.fill('#comment-body', text);
  await page.click('button:has-text("Comment")');
  await page.waitForSelector(`.timeline .comment:has-text("${text}")`);
}

async function shoot(page: Page, name: string, height: number, width = WIDTH): Promise<void> {
  const path = join(IMAGES, `${name}.png`);
  await page.setViewportSize({ width, height });
  await page.screenshot({ path });
  const { size } = statSync(path);
  process.stdout.write(`docs/images/${name}.png  ${Math.round(size / 1_000)} kB\n`);
  if (size > MAX_BYTES) throw new Error(`${path} is too large: ${size} bytes`);
}
