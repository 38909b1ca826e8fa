import type { z } from 'zod';
import { agent } from './agent.js';
import { githubApp, reviewApp } from './app.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { command } from './command.js';
import { dashboard } from './dashboard.js';
import { github } from './github.js';
import { limits } from './limits.js';
import { notify } from './notify.js';
import { price } from './price.js';
import { redis } from './redis.js';
import { repo } from './repo.js';
import { review } from './review.js';
import { runtime } from './runtime.js';
import { sandbox } from './sandbox.js';
import { scheduler } from './scheduler.js';
import type { Section } from './section.js';
import { webhook } from './webhook.js';

/** Tables that occur once in a file, in the order of the docs. */
export const sections = {
  runtime,
  github,
  redis,
  agent,
  sandbox,
  codex,
  claude,
  command,
  limits,
  scheduler,
  review,
  dashboard,
  notify,
  webhook,
};

type Read = <Shape extends z.ZodRawShape>(section: Section<Shape>) => z.output<z.ZodObject<Shape>>;

/** Tables inside other tables. Each is undefined unless the file contains it. */
export const nestedSections = { github: githubApp, review: reviewApp };

/** Applies `read` to each of these tables. */
export function readSections(read: Read) {
  return {
    runtime: read(runtime),
    github: read(github),
    redis: read(redis),
    agent: read(agent),
    sandbox: read(sandbox),
    codex: read(codex),
    claude: read(claude),
    command: read(command),
    limits: read(limits),
    scheduler: read(scheduler),
    review: read(review),
    dashboard: read(dashboard),
    notify: read(notify),
    webhook: read(webhook),
  };
}

/** Every table of the file, with the tables that users name last. */
export const allSections: readonly Section[] = [
  ...Object.entries(sections).flatMap(([name, section]) => [section, nestedIn(name)]),
  price,
  repo,
].filter((section) => section !== undefined);

/** Returns the table inside the given table, if there is one. */
export function nestedIn(name: string): Section | undefined {
  return Object.entries(nestedSections).find(([parent]) => parent === name)?.[1];
}
