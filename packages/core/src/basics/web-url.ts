/** Maps api.github.com to https://github.com. GitHub Enterprise Server serves its pages, git and /api/v3 from one host. */
export function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl);
  return `${protocol}//${host.replace(/^api\./, '')}`;
}
