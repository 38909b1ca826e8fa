import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs in the browser. The code is a string because these files are compiled without browser types. */
const RUN = `(async (values) => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  const only = values === null ? {} : { runOnly: { type: 'rule', values } };
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...only });
  const { scrollWidth, clientWidth } = document.documentElement;
  return [
    ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join('; ')),
    ...(scrollWidth > clientWidth ? ['wider than the window: ' + scrollWidth + ' px'] : []),
  ];
})`;

/** The rules whose result depends on the colors. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Lists what axe-core finds on the page with everything unfolded, and whether the page is wider than the window.
 * Without `rules`, checks every rule.
 */
export async function findViolations(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  await page.evaluate(AXE);
  return Array.from(Object(await page.evaluate(`${RUN}(${JSON.stringify(rules)})`)), String);
}
