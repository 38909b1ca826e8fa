/** Whether the block at the top of a design document, which later turns read, is still there. */
export function hasFrontmatter(text: string): boolean {
  const [first, ...lines] = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const end = lines.findIndex((line) => /^---\s*$/.test(line));
  return (
    first?.trimEnd() === '---' && end > 0 && lines.slice(0, end).some((line) => /^issue:\s*\S/.test(line))
  );
}
