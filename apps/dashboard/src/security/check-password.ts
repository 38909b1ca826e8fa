import { createHash, timingSafeEqual } from 'node:crypto';

/** Checks the Basic authentication password. Comparing digests hides its length and prefix from timing attacks. */
export function isPassword(header: string | undefined, password: string): boolean {
  const [, encoded] = /^Basic ([\w+/=]{1,2000})$/i.exec(header ?? '') ?? [];
  const decoded = Buffer.from(encoded ?? '', 'base64').toString();
  const given = decoded.slice(decoded.indexOf(':') + 1);
  const isEqual = timingSafeEqual(digest(given), digest(password));
  return isEqual && decoded.includes(':');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
