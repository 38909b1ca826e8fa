const START = /^<{7}(?: |\r?$)/;
const END = /^>{7}(?: |\r?$)/;
const MIDDLE = /^={7}\r?$/;

/**
 * Finds the text from each `<<<<<<<` line to its `>>>>>>>` line. A block without one of its three marker lines counts
 * too, because removing only some of the markers resolves nothing. A `=======` line alone is a heading.
 */
export function findConflictBlocks(text: string): string[] {
  if (!text.includes('<<<<<<<') && !text.includes('>>>>>>>')) return [];
  const blocks: string[] = [];
  let open: string[] = [];
  let isStarted = false;
  for (const line of text.split('\n')) {
    const isStart = START.test(line);
    if (isStart || (open.length === 0 && MIDDLE.test(line))) [open, isStarted] = [[], isStart];
    else if (open.length === 0) continue;
    open.push(line);
    if (!END.test(line)) continue;
    blocks.push(open.join('\n'));
    open = [];
  }
  return open.length > 0 && isStarted && open.some((line) => MIDDLE.test(line))
    ? [...blocks, open.join('\n')]
    : blocks;
}
