import { compileTouchPath, coversPath } from '../scheduler/glob.js';
import { quoteName } from '../text/quote-name.js';

/** The changed files that the design does not cover. The design document itself may always change. */
export function findDrift(
  changed: readonly string[],
  { touchPaths, designDocPath }: { touchPaths: readonly string[]; designDocPath: string | null },
): string[] {
  if (touchPaths.length === 0) return [];
  const allowed = touchPaths.map(compileTouchPath);
  return changed
    .filter((path) => path !== designDocPath && !allowed.some((touchPath) => coversPath(touchPath, path)))
    .sort();
}

const BEGIN = '<!-- mergexo-drift -->';
const END = '<!-- /mergexo-drift -->';
const MAX_SHOWN = 30;

/** Updates the drift section of a pull request body, or removes it if there is no drift. The rest stays unchanged. */
export function replaceDrift(body: string, drift: readonly string[]): string {
  const start = body.indexOf(BEGIN);
  const end = body.indexOf(END, start);
  const rest = start < 0 || end < 0 ? body : `${body.slice(0, start)}${body.slice(end + END.length)}`;
  const section = renderDrift(drift);
  return [rest.trimEnd(), ...(section === '' ? [] : [section])].join('\n\n');
}

function renderDrift(drift: readonly string[]): string {
  if (drift.length === 0) return '';
  const shown = drift.slice(0, MAX_SHOWN).map((path) => `- ${quoteName(path)}`);
  const left = drift.length - shown.length;
  return [
    BEGIN,
    '## Files outside the design',
    '',
    'This change also touches files that the design does not name:',
    '',
    ...shown,
    ...(left > 0 ? [`- and ${left} more`] : []),
    END,
  ].join('\n');
}
