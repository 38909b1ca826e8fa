import { computeHmac } from '../basics/hmac.js';

/** The sender of a message to the poller, and the key that signs the sender's messages and the poller's answers. */
export type Sender = { name: string; key: string };

/** The command line and the dashboard. They read the signing secret, so they compute the key themselves. */
export const OPERATOR = 'operator';
/** Workers on the poller's machine, which read their key from a file. */
export const LOCAL_WORKERS = 'local';

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function isSenderName(name: string): boolean {
  return NAME.test(name);
}

/** Computes a sender's key. The poller computes it for every message, so it stores no keys. */
export function computeSender(signingKey: string, name: string): Sender {
  return { name, key: computeHmac(signingKey, ['ledger-key', name]) };
}

/** Returns the worker's name from a worker id or request id, which has the form `name@…`. */
export function nameIn(id: string): string {
  return id.split('@', 1)[0] ?? '';
}
