/** Quotes the end of a program's output for people. */
export function quoteOutput(output: string): string {
  return `The end of the output:\n\n~~~~text\n${output.slice(-6_000).replaceAll('~~~~', '~ ~ ~ ~')}\n~~~~`;
}
