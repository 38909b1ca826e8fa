/** The text from each `<<<<<<< ` line to its `>>>>>>> ` line, with a `=======` line between them. */
export function findConflictBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] = [];
  let isDivided = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('<<<<<<< ')) [open, isDivided] = [[], false];
    else if (open.length === 0) continue;
    open.push(line);
    if (line === '=======' || line === '=======\r') isDivided = true;
    if (!isDivided || !line.startsWith('>>>>>>> ')) continue;
    blocks.push(open.join('\n'));
    open = [];
  }
  return blocks;
}
