import { existsSync } from 'node:fs';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Debian's Chromium, or the one that MERGEXO_CHROMIUM names. */
export const CHROMIUM = process.env['MERGEXO_CHROMIUM'] ?? '/usr/bin/chromium';
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

/** CI must have one: there nothing is skipped in silence. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) {
  const words = `${CHROMIUM} is missing (MERGEXO_CHROMIUM names another)`;
  if (process.env['CI'] === 'true') throw new Error(`CI looks at the pages in a browser: ${words}`);
  process.stderr.write(`the pages are not looked at in a browser: ${words}\n`);
}

/** A browser with a profile of its own in `profile`, a directory that the caller removes. */
export function openBrowser(profile: string, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: FLAGS,
    viewport: { width: 1280, height: 900 },
    ...options,
  });
}

/** What the page's scripts and its console complain of from now on. */
export function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}
