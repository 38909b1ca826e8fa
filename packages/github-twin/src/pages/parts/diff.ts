import { type Hunk, parseHunks } from '../../git/parse-patch.js';
import type { Side } from '../../store/review-rows.js';
import { type Html, html } from './html.js';

export type DiffLine = {
  kind: 'hunk' | 'same' | 'added' | 'removed' | 'note';
  oldLine: number | null;
  newLine: number | null;
  text: string;
};

export function listLines(patch: string): DiffLine[] {
  return parseHunks(patch).flatMap(listHunkLines);
}

function listHunkLines({ oldStart, newStart, lines }: Hunk): DiffLine[] {
  let [oldLine, newLine] = [oldStart, newStart];
  return lines.map((line, index): DiffLine => {
    if (index === 0) return { kind: 'hunk', oldLine: null, newLine: null, text: line };
    if (line.startsWith('\\')) return { kind: 'note', oldLine: null, newLine: null, text: line };
    const text = line.slice(1);
    if (line.startsWith('+')) return { kind: 'added', oldLine: null, newLine: newLine++, text };
    if (line.startsWith('-')) return { kind: 'removed', oldLine: oldLine++, newLine: null, text };
    return { kind: 'same', oldLine: oldLine++, newLine: newLine++, text };
  });
}

/** Where a comment on this line of the diff would stand. */
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

/** The last lines of the piece of diff that a comment was made on. */
export function renderHunkEnd(diffHunk: string): Html {
  const lines = listLines(diffHunk).filter(({ kind }) => kind !== 'hunk' && kind !== 'note');
  return html`<table class="diff"><caption class="hidden">The lines that this is about</caption><tbody>${lines.slice(-4).map((line) => renderLine(line))}</tbody></table>`;
}
