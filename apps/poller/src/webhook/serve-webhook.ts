import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Delivery, readDelivery, verifySignature } from '@mergexo/core/webhook';

/** GitHub sends no larger payloads. */
const MAX_BYTES = 25 * 1024 * 1024;
/** Larger payloads are checked, but not kept: MergeXO then polls every repository. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Limits what slow or idle clients can hold. GitHub waits at most 10 s for a response. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 32;

export type WebhookOptions = {
  host: string;
  port: number;
  /** The secrets of the webhook, newest first. */
  secrets: readonly string[];
  onDelivery: (delivery: Delivery) => void;
  /** Called with the reason of each rejected delivery. */
  onRejected: (reason: string) => void;
};

export type WebhookServer = { port: number; close(): Promise<void> };

/**
 * Accepts deliveries from GitHub. Verifies the signature while the payload arrives, and responds before MergeXO acts, so
 * that GitHub never waits. Throws if the server cannot listen.
 */
export async function serveWebhook(options: WebhookOptions): Promise<WebhookServer> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      receive(options, request)
        .then((status) => respond(response, status))
        .catch(() => request.destroy());
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { port: portOf(server), close: () => close(server) };
}

type Status = 202 | 400 | 401 | 404 | 405 | 413 | 415;

const REASONS: Record<Exclude<Status, 202 | 404 | 405>, string> = {
  400: 'the payload names no repository',
  401: 'the signature is missing or wrong. The secret on GitHub must equal MERGEXO_WEBHOOK_SECRET',
  413: 'the payload is larger than 25 MB',
  415: 'the content type is not application/json. Select it in the settings of the webhook on GitHub',
};

/** Decides on one delivery. Reads no body unless the headers are plausible. */
async function receive(options: WebhookOptions, request: IncomingMessage): Promise<Status> {
  const refuse = (status: keyof typeof REASONS): Status => {
    options.onRejected(REASONS[status]);
    return status;
  };
  const { method, url = '', headers } = request;
  if (url.split('?', 1)[0] !== '/webhook') return 404;
  if (method !== 'POST') return 405;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return refuse(415);
  const signature = headers['x-hub-signature-256'];
  if (typeof signature !== 'string') return refuse(401);
  if (Number(headers['content-length'] ?? 0) > MAX_BYTES) return refuse(413);
  const read = await readBody(request, options.secrets);
  if (read === undefined) return refuse(413);
  if (!verifySignature(signature, read.digests)) return refuse(401);
  const event = headers['x-github-event'];
  const delivery = readDelivery(typeof event === 'string' ? event : undefined, read.body);
  if (delivery.kind === 'invalid') return refuse(400);
  options.onDelivery(delivery);
  return 202;
}

/** Computes one digest per secret while the payload arrives. Returns undefined if it is too large. */
async function readBody(
  request: IncomingMessage,
  secrets: readonly string[],
): Promise<{ digests: string[]; body: string | undefined } | undefined> {
  const hashes = secrets.map((secret) => createHmac('sha256', secret));
  let kept: Buffer[] = [];
  let size = 0;
  // Keeps the connection open for the response if the payload is refused.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BYTES) return undefined;
    for (const hash of hashes) hash.update(bytes);
    if (size > MAX_KEPT_BYTES) kept = [];
    else kept.push(bytes);
  }
  const body = size > MAX_KEPT_BYTES ? undefined : Buffer.concat(kept).toString('utf8');
  return { digests: hashes.map((hash) => hash.digest('hex')), body };
}

/** Closes the connection after a refusal, because the rest of the payload was not read. */
function respond(response: ServerResponse, status: Status): void {
  if (status !== 202) response.setHeader('connection', 'close');
  if (status === 405) response.setHeader('allow', 'POST');
  response.statusCode = status;
  response.end();
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}
