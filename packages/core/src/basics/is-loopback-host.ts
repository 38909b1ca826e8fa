/**
 * True for host names of this machine, for which MergeXO allows plain HTTP and shorter intervals, and requires no
 * password. The only rule for this question: a URL that the config accepts must also work for git and Redis.
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return host === '[::1]' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
