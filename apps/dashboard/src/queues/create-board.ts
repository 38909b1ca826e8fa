import { createBullBoard } from '@bull-board/api';
import { ExpressAdapter } from '@bull-board/express';
import express, { type Express, type Handler } from 'express';
import type { RedisConnection } from './create-redis-connection.js';
import { QueueView } from './queue-view.js';

export const QUEUES = [
  { name: 'turns', description: 'Turns for the workers. The jobs contain only ids.' },
  { name: 'ledger', description: 'Messages from workers and operators to the poller, and its responses.' },
] as const;

/** Creates a read-only Bull Board for our queues. */
export function createBoard(basePath: string, keyPrefix: string, connection: RedisConnection): Express {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(basePath);
  createBullBoard({
    queues: QUEUES.map((queue) => new QueueView({ ...queue, keyPrefix, connection })),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'MergeXO queues',
        hideDocsLink: true,
        showWorkers: false,
        miscLinks: [{ text: 'Home', url: '/' }],
      },
    },
  });
  const board: Express = serverAdapter.getRouter();
  board.disable('x-powered-by');
  return express()
    .disable('x-powered-by')
    .get('/api/queues/:queue/:job/flow', serveNoFlow)
    .use(dropForeignFonts, board);
}

/** Responds that a job has no parents or children. Bull Board would open its own connection to search for them. */
const serveNoFlow: Handler = (request, response) => {
  response.json({ nodeId: request.params['job'], flowRoot: null, isFlowNode: false });
};

const FOREIGN_FONTS = /<link href="https:\/\/fonts\.googleapis\.com[^>]{0,500}>/g;

/** Removes fonts from another host. Our Content Security Policy blocks them, so the browser would report an error. */
const dropForeignFonts: Handler = (_request, response, next) => {
  const send = response.send.bind(response);
  response.send = (body) => send(typeof body === 'string' ? body.replace(FOREIGN_FONTS, '') : body);
  next();
};
