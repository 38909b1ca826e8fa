import { readSection, splitDocument } from '../prompts/read-document.js';

const MAX_CRITERIA = 50;
const MAX_LENGTH = 500;
/** Blanks, the mark of an item with its check box, the rest. */
const LINE = /^([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?(.*)$/;

export const ACCEPTANCE_HEADINGS = [
  'acceptance criteria',
  'success criteria',
  'definition of done',
  'done when',
];

/** `number` is the place in the list, as a reader counts. */
export type AcceptanceCriterion = { number: number; text: string };

/** The items of the list below the heading. What is indented below an item belongs to it. */
export function readAcceptanceCriteria(document: string): AcceptanceCriterion[] {
  const section = readSection(splitDocument(document).body, ACCEPTANCE_HEADINGS) ?? '';
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
    const [, blanks = '', mark = '', rest = ''] = LINE.exec(line) ?? [];
    const text = rest.trim();
    if (/^(?:```|~~~)/.test(text)) isCode = !isCode;
    else if (mark !== '' && !isCode && (items.length === 0 || blanks.length < margin + 2)) {
      margin = blanks.length;
      items.push([text]);
      isOpen = true;
    } else if (text !== '') {
      // Text at the margin still belongs to the item while no blank line has come between, as in Markdown.
      isOpen &&= isCode || blanks.length > margin || (!isAfterBlank && !text.startsWith('#'));
      if (isOpen) items.at(-1)?.push(text);
    }
    isAfterBlank = text === '' && mark === '';
  }
  return items.map((lines) => lines.join(' ').trim()).filter((text) => text !== '');
}
