import { findOnPath } from '@mergexo/testkit';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The Chromium of the PATH, or the program that MERGEXO_CHROMIUM names. */
const CHROMIUM = process.env['MERGEXO_CHROMIUM'] ?? findOnPath('chromium');
/** Why browser tests are skipped on this machine. */
export const missingBrowser = CHROMIUM === undefined ? 'chromium is not installed' : undefined;
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

/** A browser with a profile of its own in `profile`, a directory that the caller removes. */
export function openBrowser(profile: string, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  if (CHROMIUM === undefined) {
    throw new Error(
      'Chromium is not installed. Install it, or set MERGEXO_CHROMIUM to the path of the program.',
    );
  }
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
