import { z } from 'zod';
import { MERGEXO_CLI } from '../basics/mergexo-cli.js';

/** Notices that a worker sends about itself with each heartbeat. */
export const WorkerNotice = z.enum(['codex-without-own-sandbox', 'config-not-loaded']);
export type WorkerNotice = z.infer<typeof WorkerNotice>;

/** The sentences that `doctor`, `status` and the logs show. */
export const NOTICE_TEXTS: Record<WorkerNotice, string> = {
  'codex-without-own-sandbox':
    'Codex runs commands without its own sandbox: they have network access and can change the copy of its login',
  'config-not-loaded': `The config file on this host was not loaded, so the worker keeps the last valid config. \`${MERGEXO_CLI} config check\` lists every problem`,
};
