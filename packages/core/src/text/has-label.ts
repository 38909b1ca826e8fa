/** True if the list contains the label. Ignores case, as GitHub does. */
export function hasLabel(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}
