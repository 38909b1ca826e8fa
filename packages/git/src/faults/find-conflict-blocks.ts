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
  /** Where the open block begins. */
  let open: number | undefined;
  let [isStarted, hasMiddle] = [false, false];
  // Splitting a long text into lines would take too much memory.
  for (let at = 0, end = 0; at <= text.length; at = end + 1) {
    end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    const line = MARKS.includes(text.charAt(at)) ? text.slice(at, Math.min(end, at + LONGEST_MARK)) : '';
    const [isStart, isMiddle] = [START.test(line), MIDDLE.test(line)];
    if (isStart || (open === undefined && isMiddle)) [open, isStarted, hasMiddle] = [at, isStart, false];
    else if (open === undefined) continue;
    hasMiddle ||= isMiddle;
    if (!END.test(line)) continue;
    blocks.push(text.slice(open, end));
    open = undefined;
  }
  return open !== undefined && isStarted && hasMiddle ? [...blocks, text.slice(open)] : blocks;
}

/** The first characters of the marker lines. */
const MARKS = ['<', '=', '>'];
/** Seven characters, a carriage return, and one more character that shows whether the line ends there. */
const LONGEST_MARK = 9;
