import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

export type Visit = { url: string; faults: string[] };

/** Runs in the browser. The code is a string because these files are compiled without browser types. */
const MEASURE = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const outside = [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
  return {
    overflow: scrollWidth > clientWidth ? scrollWidth + ' px: ' + (outside.at(-1)?.outerHTML ?? '').slice(0, 200) : null,
    links: [...document.querySelectorAll('a')].map(({ href }) => href),
  };
})()`;

/**
 * Opens the start pages and every local page linked from a page below `follow`. Reports each status of 400 or more,
 * including those of subresources, each console error, and each page that is wider than the window.
 */
export async function visitPages(
  page: Page,
  options: { start: readonly string[]; follow: string; width: number; shots?: string | undefined },
): Promise<Visit[]> {
  const { start, follow, width, shots } = options;
  await page.setViewportSize({ width, height: 900 });
  let faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  const urls = new Set(start.map(toPage));
  const visits: Visit[] = [];
  for (const url of urls) {
    faults = [];
    visits.push({ url, faults });
    await page.goto(url);
    await page.waitForLoadState('networkidle');
    const { overflow, links } = Object(await page.evaluate(MEASURE));
    if (overflow !== null) faults.push(overflow);
    if (shots !== undefined) await shoot(page, join(shots, `${width}-${visits.length}.png`));
    if (!url.startsWith(follow)) continue;
    for (const link of links) if (isLocal(link)) urls.add(toPage(link));
  }
  return visits;
}

/** Removes the anchor, because URLs that differ only in their anchor are the same page. */
function toPage(url: string): string {
  return url.replace(/#.*$/, '');
}

/**
 * Matches the Bull Board pages to skip. Bull Board links to hundreds of jobs and filters, so the test visits
 * only its overview and queue pages.
 */
const BOARD_DETAIL = /\/queues\/(queue\/\w+)?\/?[^/]*[?=&]|\/queues\/queue\/\w+\//;

/** Matches pages that differ from a visited page only in several filters at once. */
const COMBINED_FILTERS = /\?.*&/;
/** Every issue links to all of its turns. */
const TURN = /\/turns\/[0-9a-f]{64}$/;
/** The stand-in for GitHub has no pages for commits. */
const COMMIT = /\/commit\/[0-9a-f]{40}$/;

function isLocal(url: string): boolean {
  if (!URL.canParse(url) || new URL(url).hostname !== '127.0.0.1') return false;
  return ![BOARD_DETAIL, COMBINED_FILTERS, TURN, COMMIT].some((pattern) => pattern.test(url));
}

async function shoot(page: Page, path: string): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true });
  await page.screenshot({ path, fullPage: true });
}
