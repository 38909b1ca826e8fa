import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs in the browser. The code is a string because these files are compiled without browser types. */
const RUN = `(async () => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  const { scrollWidth, clientWidth } = document.documentElement;
  return [
    ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join('; ')),
    ...(scrollWidth > clientWidth ? ['wider than the window: ' + scrollWidth + ' px'] : []),
  ];
})()`;

/** Lists what axe-core finds on the page with everything unfolded, and whether the page is wider than the window. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return Array.from(Object(await page.evaluate(RUN)), String);
}
