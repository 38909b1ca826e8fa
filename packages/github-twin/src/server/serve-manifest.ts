import { randomBytes } from 'node:crypto';
import { redeem } from '../apps/manifests.js';
import type { Exchange } from '../http/exchange.js';
import { commonHeaders, JSON_TYPE } from '../http/send.js';
import { refuseInJson, serveExchange } from '../http/serve-exchange.js';
import { viewApp } from '../views/app.js';

const PATH = /^\/app-manifests\/([^/]+)\/conversions$/;
const TEMPLATE = '/app-manifests/{code}/conversions';
export const MANIFEST_ROUTE = { method: 'POST', template: TEMPLATE };

export const isManifestPath = ({ method, path }: Exchange): boolean => method === 'POST' && PATH.test(path);

/** Exchanges the code of a new App for its key. The only route that needs no login: the code is the secret. */
export async function serveManifest(exchange: Exchange): Promise<void> {
  const [, code = ''] = PATH.exec(exchange.path) ?? [];
  Object.assign(exchange, { route: `POST ${TEMPLATE}`, path: TEMPLATE });
  await serveExchange(exchange, {
    repo: null,
    answer: async () => {
      const body = convert(exchange, code);
      const errors = exchange.world.validators.checkResponse(MANIFEST_ROUTE, { status: 201, body });
      if (errors.length > 0)
        exchange.world.history.record({ kind: 'violation', route: `POST ${TEMPLATE}`, errors });
      return { status: 201, headers: JSON_TYPE, body: Buffer.from(JSON.stringify(body)) };
    },
    refuse: refuseInJson,
    complete: (reply) => ({ ...reply, headers: { ...commonHeaders(exchange, 'core'), ...reply.headers } }),
  });
}

function convert({ world, api }: Exchange, code: string) {
  const { app, pem, webhookSecret } = redeem(world, code);
  return {
    ...viewApp({ world, api }, app),
    client_secret: randomBytes(20).toString('hex'),
    webhook_secret: webhookSecret,
    pem,
  };
}
