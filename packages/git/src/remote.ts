export type Remote = { url: string; protocol: 'https' | 'http' | 'file'; origin: string | undefined };

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Only https, http on this machine, and plain directories: whatever else git can dial stays switched off. */
export function parseRemote(url: string): Remote {
  if (url.startsWith('/')) return { url, protocol: 'file', origin: undefined };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) throw new Error('the remote must be an https URL');
  if (parsed.username !== '' || parsed.password !== '')
    throw new Error('the remote URL must not contain a user or a password');
  if (parsed.protocol === 'file:') return { url, protocol: 'file', origin: undefined };
  if (parsed.protocol === 'https:') return { url, protocol: 'https', origin: parsed.origin };
  // A token over plain http could be read on its way.
  if (parsed.protocol === 'http:' && LOOPBACK.has(parsed.hostname))
    return { url, protocol: 'http', origin: parsed.origin };
  throw new Error(`the remote must be an https URL, not ${parsed.protocol}//${parsed.host}`);
}
