import { latestJobs } from '../domain/workflow-runs.js';
import type { World } from '../world.js';
import type { Exchange } from './exchange.js';
import { send } from './send.js';
import { isSigned } from './signed-path.js';
import { toZip } from './zip.js';

const PATH = /^\/_logs\/(jobs|runs)\/(\d+)$/;

export const isLogPath = (path: string) => PATH.test(path);

/** Where the API redirects to for logs: text for a job, a zip archive for a run. */
export function serveLogs(world: World, exchange: Exchange): void {
  const [, kind, id] = PATH.exec(exchange.path) ?? [];
  const found = isSigned(world, exchange.path, exchange.query) ? findLog(world, kind, Number(id)) : undefined;
  const refused = {
    status: 403,
    headers: {},
    body: Buffer.from('Server failed to authenticate the request.'),
  };
  const wire = found && { status: 200, headers: { 'content-type': found.type }, body: found.body };
  send(exchange, wire ?? refused);
}

function findLog({ store, ...world }: World, kind: string | undefined, id: number) {
  if (kind === 'jobs') {
    const job = store.jobs.get(id);
    return job && { type: 'text/plain; charset=utf-8', body: Buffer.from(job.log) };
  }
  const run = store.workflowRuns.get(id);
  if (!run) return undefined;
  const files = latestJobs({ store, ...world }, run).map((job, index) => ({
    name: `${index}_${job.name}.txt`,
    content: Buffer.from(job.log),
  }));
  return { type: 'application/zip', body: toZip(files) };
}
