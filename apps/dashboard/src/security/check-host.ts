import { isLoopbackHost } from '@mergexo/core/basics';

/**
 * True if the Host header names this machine or an allowed host. Prevents DNS rebinding: another site can point its
 * own host name at this machine to read responses, but the browser still sends that name in the Host header.
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
