import { isLoopbackHost } from '@mergexo/config';

/**
 * A page elsewhere can point a name of its own at this machine and then read what we answer; the browser still says the
 * name, so only names that are ours are answered.
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  const name = parseHostName(header);
  return name !== undefined && (isLoopbackHost(name) || allowed.some((other) => toName(other) === name));
}

function parseHostName(header: string | undefined): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([\da-f:.]{2,45})\]|([\w.-]{1,253}))(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

function toName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}
