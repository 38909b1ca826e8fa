import type { Notice, NotifyChannel } from '@mergexo/core/notices';

/** `aborted`: the caller ended the send, and the receiver may have got the message. */
export type Sent = { kind: 'sent' } | { kind: 'aborted' } | { kind: 'failed'; reason: string };

export type Channel = {
  name: NotifyChannel;
  /** Sends one message: a notification, or a digest of several. Never throws. */
  send(notices: readonly Notice[], signal?: AbortSignal): Promise<Sent>;
};

/** Time limit for a send. */
export const SEND_MS = 10_000;
/** Maximum length of a reason, which quotes the error of a program or a server. */
export const MAX_REASON = 300;

export const failed = (reason: string): Sent => ({ kind: 'failed', reason: reason.slice(0, MAX_REASON) });
