import { type DiffLine, listLines, parseHunks } from '../../git/parse-patch.js';
import type { Side } from '../../store/rows.js';
import { type Html, html } from './html.js';

/** Returns the side and line number for a comment on this diff line, or undefined if the line cannot have comments. */
export function spotOf(line: DiffLine): { side: Side; line: number } | undefined {
  if (line.newLine !== null) return { side: 'RIGHT', line: line.newLine };
  return line.oldLine === null ? undefined : { side: 'LEFT', line: line.oldLine };
}

const SIGNS = { added: '+', removed: '-', same: ' ', hunk: '', note: '' } as const;

export function renderLine(line: DiffLine, action?: Html): Html {
  if (line.kind === 'hunk' || line.kind === 'note')
    return html`<tr class="${line.kind}"><td class="num"></td><td class="num"></td><td class="code">${line.text}</td></tr>`;
  return html`<tr class="${line.kind}"><td class="num">${line.oldLine}</td><td class="num">${line.newLine}</td><td class="code">${action}<span class="sign">${SIGNS[line.kind]}</span>${line.text}</td></tr>`;
}

/** Renders the last lines of a comment's hunk. */
export function renderHunkEnd(diffHunk: string): Html {
  const all = parseHunks(diffHunk).flatMap(listLines);
  const lines = all.filter(({ kind }) => kind !== 'hunk' && kind !== 'note');
  return html`<table class="diff"><caption class="hidden">Commented lines</caption><tbody>${lines.slice(-4).map((line) => renderLine(line))}</tbody></table>`;
}
