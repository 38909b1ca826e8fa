/** `unfinished`: more bytes are needed. `none`: these bytes are not a ClientHello with a server name. */
export type ServerName = { kind: 'named'; name: string } | { kind: 'unfinished' } | { kind: 'none' };

const RECORD_HEADER = 5;
/** The largest record that TLS allows. */
const MAX_RECORD = 16_384;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const VERSION_AND_RANDOM = 34;

/**
 * Reads the server name of a TLS ClientHello (RFC 8446, section 4.1.2). Large networks serve many sites from one
 * address, so the host in the CONNECT request does not prove which site the program reaches.
 */
export function readServerName(bytes: Buffer): ServerName {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return { kind: 'none' };
  if (bytes.length < RECORD_HEADER) return { kind: 'unfinished' };
  const length = bytes.readUInt16BE(3);
  if (length > MAX_RECORD) return { kind: 'none' };
  if (bytes.length < RECORD_HEADER + length) return { kind: 'unfinished' };
  try {
    const name = findName(bytes.subarray(RECORD_HEADER, RECORD_HEADER + length));
    return name === undefined ? { kind: 'none' } : { kind: 'named', name };
  } catch {
    // A length in the ClientHello points past its end.
    return { kind: 'none' };
  }
}

function findName(record: Buffer): string | undefined {
  if (record.readUInt8(0) !== CLIENT_HELLO) return undefined;
  let at = 4 + VERSION_AND_RANDOM;
  at += 1 + record.readUInt8(at);
  at += 2 + record.readUInt16BE(at);
  at += 1 + record.readUInt8(at);
  const end = at + 2 + record.readUInt16BE(at);
  at += 2;
  while (at < end) {
    const [type, length] = [record.readUInt16BE(at), record.readUInt16BE(at + 2)];
    at += 4;
    if (type === SERVER_NAME) return readEntry(record, at);
    at += length;
  }
  return undefined;
}

/** Reads the first entry of the list; TLS allows one name only. */
function readEntry(record: Buffer, at: number): string | undefined {
  if (record.readUInt8(at + 2) !== 0) return undefined;
  const length = record.readUInt16BE(at + 3);
  const name = record.subarray(at + 5, at + 5 + length);
  return name.length === length ? name.toString('latin1').toLowerCase() : undefined;
}
