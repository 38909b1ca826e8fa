import { z } from 'zod';

/** Notices that a worker sends about itself with each heartbeat. */
export const WorkerNotice = z.enum(['codex-without-own-sandbox']);
export type WorkerNotice = z.infer<typeof WorkerNotice>;

/** The sentences that `doctor`, `status` and the logs show. */
export const NOTICE_TEXTS: Record<WorkerNotice, string> = {
  'codex-without-own-sandbox':
    'Codex runs commands without its own sandbox: they have network access and can change the copy of its login',
};
