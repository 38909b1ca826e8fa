import { createBullBoard } from '@bull-board/api';
import { ExpressAdapter } from '@bull-board/express';
import type { Express } from 'express';
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
  return board.disable('x-powered-by');
}
