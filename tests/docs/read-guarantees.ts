import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Guarantee = {
  id: string;
  title: string;
  /** The text between the heading and the limits. */
  promise: string;
  limits: string;
  tests: readonly { path: string; title: string }[];
};

const HEADING = /^### (G-[A-Z]+-[0-9]+): (.+)$/gm;
const TEST = /^- \[([^\]]+)\]\(\.\.\/([^)]+)\): (.+)$/gm;

/** Reads the promises of `docs/guarantees.md`. Judges of random schedules name a promise by its id. */
export function readGuarantees(page = readPage()): Guarantee[] {
  const headings = [...page.matchAll(HEADING)];
  return headings.map((heading, index) => {
    const [whole, id = '', title = ''] = heading;
    const section = page.slice(heading.index + whole.length, headings[index + 1]?.index);
    const [promise = '', rest = ''] = section.split('\n**Limits:** ', 2);
    const [limits = '', list = ''] = rest.split('\n**Tests:**\n', 2);
    const tests = [...list.matchAll(TEST)].map(([, , path = '', name = '']) => ({ path, title: name }));
    return { id, title, promise: promise.trim(), limits: limits.trim(), tests };
  });
}

function readPage(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return readFileSync(join(root, 'docs/guarantees.md'), 'utf8');
}
