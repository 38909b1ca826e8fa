const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/**
 * True if the last six characters are the checksum of the others, as in GitHub and npm tokens: CRC-32 in base 62. A
 * made-up token in a test or a document almost never has a valid checksum.
 */
export function hasTokenChecksum(body: string): boolean {
  let rest = computeCrc32(Buffer.from(body.slice(0, -CHECKSUM_LENGTH)));
  let checksum = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    checksum = `${DIGITS.charAt(rest % 62)}${checksum}`;
    rest = Math.floor(rest / 62);
  }
  return body.endsWith(checksum);
}

/** Node 20.11 has no `crc32` yet. */
function computeCrc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
