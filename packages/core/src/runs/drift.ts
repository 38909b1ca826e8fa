import { PULL_FOOTER } from '../outbox/render-posts.js';
import { compileTouchPath, coversPath, type TouchPath } from '../scheduler/glob.js';
import { quoteName } from '../text/quote-name.js';

/** Returns the changed files that the design does not cover. The design document itself may always change. */
export function findDrift(
  changed: readonly string[],
  { touchPaths, designDocPath }: { touchPaths: readonly string[]; designDocPath: string | null },
): string[] {
  if (touchPaths.length === 0) return [];
  const allowed = touchPaths.map(compileTouchPath);
  return changed
    .filter((path) => path !== designDocPath && !isCovered(allowed, compileTouchPath(path)))
    .sort();
}

function isCovered(allowed: readonly TouchPath[], file: TouchPath): boolean {
  return allowed.some((touchPath) => coversPath(touchPath, file));
}

const BEGIN = '<!-- mergexo-drift -->';
const END = '<!-- /mergexo-drift -->';
const MAX_SHOWN = 30;

/** Updates the drift section of a pull request body, or removes it if there is no drift. The rest stays unchanged. */
export function replaceDrift(body: string, drift: readonly string[]): string {
  const start = body.indexOf(BEGIN);
  const end = body.indexOf(END, start);
  const hasSection = start >= 0 && end >= 0;
  const rest = hasSection ? join(body.slice(0, start), body.slice(end + END.length)) : body.trimEnd();
  // The footer stays last. A body from an earlier version has another footer, which stays above the section.
  const hasFooter = rest.endsWith(`\n\n${PULL_FOOTER}`);
  const text = hasFooter ? rest.slice(0, -PULL_FOOTER.length) : rest;
  return join(text, renderDrift(drift), hasFooter ? PULL_FOOTER : '');
}

/** Joins the parts that are not empty, with one blank line between them. */
function join(first: string, ...others: readonly string[]): string {
  const parts = [first.trimEnd(), ...others.map((part) => part.trim())];
  return parts.filter((part) => part !== '').join('\n\n');
}

function renderDrift(drift: readonly string[]): string {
  if (drift.length === 0) return '';
  const shown = drift.slice(0, MAX_SHOWN).map((path) => `- ${quoteName(path)}`);
  const left = drift.length - shown.length;
  return [
    BEGIN,
    '## Files outside the design',
    '',
    'This change also affects files that the design does not list:',
    '',
    ...shown,
    ...(left > 0 ? [`- and ${left} more`] : []),
    END,
  ].join('\n');
}
