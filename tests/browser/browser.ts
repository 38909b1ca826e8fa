import { findOnPath } from '@mergexo/testkit';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Chromium from the PATH, or the program named by MERGEXO_CHROMIUM. */
const CHROMIUM = process.env['MERGEXO_CHROMIUM'] ?? findOnPath('chromium');
/** The reason why browser tests are skipped on this machine, or undefined. */
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

/** Launches a browser with its profile in the directory `profile`. The caller removes the directory. */
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

/** Collects the script errors and console errors of the page from this call on. */
export function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}
