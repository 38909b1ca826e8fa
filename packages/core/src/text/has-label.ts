/** GitHub's labels differ by more than case, or they are the same label. */
export function hasLabel(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}
