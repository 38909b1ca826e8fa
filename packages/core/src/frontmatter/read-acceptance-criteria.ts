import { parseSection, splitDocument } from '../prompts/parse-document.js';

const MAX_CRITERIA = 50;
const MAX_LENGTH = 500;
/** Matches the indentation of a line and the list marker with its checkbox. */
const LINE = /^([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;

export const ACCEPTANCE_HEADINGS = [
  'acceptance criteria',
  'success criteria',
  'definition of done',
  'done when',
];

/** `number` is the 1-based position in the list. */
export type AcceptanceCriterion = { number: number; text: string };

/** Reads the list items below an acceptance heading. Text indented below an item belongs to that item. */
export function readAcceptanceCriteria(document: string): AcceptanceCriterion[] {
  const section = parseSection(splitDocument(document).body, ACCEPTANCE_HEADINGS) ?? '';
  return listItems(section)
    .slice(0, MAX_CRITERIA)
    .map((text, index) => ({ number: index + 1, text: text.slice(0, MAX_LENGTH) }));
}

function listItems(section: string): string[] {
  const items: string[][] = [];
  let margin = 0;
  let isOpen = false;
  let isCode = false;
  let isAfterBlank = true;
  for (const line of section.split('\n')) {
    const [start = '', blanks = '', mark = ''] = LINE.exec(line) ?? [];
    const text = line.slice(start.length).trim();
    if (/^(?:```|~~~)/.test(text)) isCode = !isCode;
    else if (mark !== '' && !isCode && (items.length === 0 || blanks.length < margin + 2)) {
      margin = blanks.length;
      items.push([text]);
      isOpen = true;
    } else if (text !== '') {
      // As in Markdown, unindented text belongs to the item until a blank line.
      isOpen &&= isCode || blanks.length > margin || (!isAfterBlank && !text.startsWith('#'));
      if (isOpen) items.at(-1)?.push(text);
    }
    isAfterBlank = text === '' && mark === '';
  }
  return items.map((lines) => lines.join(' ').trim()).filter((text) => text !== '');
}
