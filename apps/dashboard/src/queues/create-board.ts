import { createBullBoard } from '@bull-board/api';
import { ExpressAdapter } from '@bull-board/express';
import express, { type Express, type Handler } from 'express';
import { QueueView } from './queue-view.js';
import type { RedisLine } from './redis-line.js';

export const QUEUES = [
  { name: 'turns', description: 'Turns for the workers. The jobs carry ids only.' },
  { name: 'ledger', description: 'What workers and operators say to the poller, and its answers.' },
] as const;

/** Bull Board over our queues, for looking. */
export function createBoard(basePath: string, keyPrefix: string, line: RedisLine): Express {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(basePath);
  createBullBoard({
    queues: QUEUES.map((queue) => new QueueView({ ...queue, keyPrefix, line })),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'MergeXO queues',
        hideDocsLink: true,
        showWorkers: false,
        miscLinks: [{ text: 'The fleet', url: '/' }],
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

/** Our jobs have no parents and no children. Bull Board would look for them with a connection of its own. */
const serveNoFlow: Handler = (request, response) => {
  response.json({ nodeId: request.params['job'], flowRoot: null, isFlowNode: false });
};

const FOREIGN_FONTS = /<link href="https:\/\/fonts\.googleapis\.com[^>]{0,500}>/g;

/** Bull Board's page asks for fonts of another host. Our policy forbids that, and the browser would report an error. */
const dropForeignFonts: Handler = (_request, response, next) => {
  const send = response.send.bind(response);
  response.send = (body) => send(typeof body === 'string' ? body.replace(FOREIGN_FONTS, '') : body);
  next();
};
