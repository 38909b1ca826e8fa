import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import { Failure } from '@mergexo/core/basics';
import type { RedisConnection } from './create-redis-connection.js';
import {
  createQueueReader,
  JOB_PLACES,
  type JobPlace,
  type QueueReader,
  type StoredJob,
} from './read-queue.js';

type Job = NonNullable<Awaited<ReturnType<BaseAdapter['getJob']>>>;

/** Maximum number of jobs per page, even if a request asks for more. */
const MAX_LISTED = 200;

/**
 * Shows a queue in Bull Board, which requires a class. The view cannot write, because SQLite decides which turns run:
 * the poller would undo a manual removal, promotion or retry.
 */
export class QueueView extends BaseAdapter {
  readonly #name: string;
  readonly #connection: RedisConnection;
  readonly #keyPrefix: string;

  constructor(options: {
    name: string;
    description: string;
    keyPrefix: string;
    connection: RedisConnection;
  }) {
    super('bullmq', { readOnlyMode: true, allowRetries: false, description: options.description });
    this.#name = options.name;
    this.#keyPrefix = options.keyPrefix;
    this.#connection = options.connection;
  }

  #read<T>(work: (queue: QueueReader) => Promise<T>): Promise<T> {
    return this.#connection.read((redis) => work(createQueueReader(redis, this.#keyPrefix, this.#name)));
  }

  getName(): string {
    return this.#name;
  }

  getStatuses() {
    return ['latest' as const, ...JOB_PLACES];
  }

  getJobStatuses() {
    return [...JOB_PLACES];
  }

  async getJobCounts() {
    const counts = await this.#read((queue) => queue.countJobs());
    return { ...counts, latest: 0, 'waiting-children': 0, paused: 0 };
  }

  getJobs(statuses: readonly string[], start = 0, end = MAX_LISTED - 1): Promise<Job[]> {
    const places = JOB_PLACES.filter((place) => statuses.includes(place));
    const last = Math.min(end, start + MAX_LISTED - 1);
    return this.#read(async (queue) => {
      const lists = await Promise.all(
        places.map(async (place) => {
          const jobs = await queue.listJobs(await queue.listIds(place, start, last));
          return jobs.map((job) => toJob(job, place));
        }),
      );
      return lists.flat();
    });
  }

  getJob(id: string): Promise<Job | undefined> {
    return this.#read(async (queue) => {
      const [job, place] = await Promise.all([queue.readJob(id), queue.findPlace(id)]);
      return job && toJob(job, place);
    });
  }

  getJobLogs(id: string): Promise<string[]> {
    return this.#read((queue) => queue.readLogs(id));
  }

  isPaused(): Promise<boolean> {
    return this.#read((queue) => queue.isPaused());
  }

  getRedisInfo(): Promise<string> {
    return this.#read((queue) => queue.readInfo());
  }

  async getMetrics() {
    return { meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 };
  }

  async getGlobalConcurrency() {
    return null;
  }

  async getJobSchedulers() {
    return [];
  }

  async getJobSchedulersCount() {
    return 0;
  }

  addJob = refuse;
  clean = refuse;
  empty = refuse;
  obliterate = refuse;
  pause = refuse;
  promoteAll = refuse;
  removeJobScheduler = refuse;
  resume = refuse;
  runJobSchedulerNow = refuse;
  setGlobalConcurrency = refuse;
  updateJobScheduler = refuse;
}

async function refuse(): Promise<never> {
  throw new Failure(
    'unauthorized',
    'The queues are read-only: MergeXO decides which turns run, and would undo manual changes.',
  );
}

function toJob({ id, fields }: StoredJob, place: JobPlace | undefined): Job {
  const opts = toRecord(parse(fields['opts']));
  const stacktrace = parse(fields['stacktrace']);
  return {
    opts: {},
    promote: refuse,
    remove: refuse,
    retry: refuse,
    getState: async () => place ?? 'unknown',
    toJSON: () => ({
      id,
      name: fields['name'] ?? '',
      progress: toProgress(parse(fields['progress'])),
      attemptsMade: toNumber(fields['atm']) ?? 0,
      attemptsStarted: toNumber(fields['ats']) ?? 0,
      stalledCounter: toNumber(fields['stc']) ?? 0,
      timestamp: toNumber(fields['timestamp']) ?? 0,
      processedOn: toNumber(fields['processedOn']) ?? null,
      processedBy: fields['pb'] ?? null,
      finishedOn: toNumber(fields['finishedOn']) ?? null,
      delay: toNumber(fields['delay']) ?? 0,
      priority: toNumber(fields['priority']) ?? 0,
      failedReason: fields['failedReason'] ?? '',
      stacktrace: Array.isArray(stacktrace) ? stacktrace.map(String) : [],
      data: unwrap(parse(fields['data'])),
      returnvalue: unwrap(parse(fields['returnvalue'])),
      opts,
    }),
  };
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parses a ledger message from its signed text form and hides the values that prove who sent it. */
function unwrap(value: unknown): unknown {
  const { text, mac } = toRecord(value);
  if (typeof text !== 'string' || typeof mac !== 'string') return value;
  const message = parse(text);
  const hidden = Object.keys(toRecord(message)).filter((name) => name === 'proof' || name === 'secret');
  return hidden.length === 0
    ? message
    : { ...toRecord(message), ...Object.fromEntries(hidden.map((name) => [name, '[hidden]'])) };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return text === undefined || !Number.isFinite(value) ? undefined : value;
}

function toProgress(value: unknown): string | number | boolean | object {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null ? value : 0;
}
