#!/usr/bin/env node
/** Creates a GitHub App for `mergexo init --app`, and prints each step as one line of JSON. */
import { parseArgs } from 'node:util';
import { explainError, readProxySettings, UsageError } from '@mergexo/core/basics';
import { createFetch } from '@mergexo/github';
import { z } from 'zod';
import { type AppOrder, type AppStep, createApp } from './app/create-app.js';

const Order = z.object({
  apiUrl: z.url(),
  directory: z.string(),
  repo: z.string(),
  organisation: z.string().optional(),
  webhookUrl: z.url().optional(),
  workflows: z.boolean(),
});

try {
  const { values } = parseArgs({ options: { order: { type: 'string' } } });
  // The command reads these lines. When the command exits, this program exits too.
  process.stdin.on('end', () => process.exit(1)).resume();
  const fetch = createFetch(readProxySettings(process.env));
  await createApp({ fetch, tell }, readOrder(values.order));
  process.stdin.destroy();
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`${problem.message}\n`);
  process.exit(1);
}

function tell(step: AppStep): void {
  process.stdout.write(`${JSON.stringify(step)}\n`);
}

function readOrder(text: string | undefined): AppOrder {
  const parsed = Order.safeParse(JSON.parse(text ?? '{}'));
  if (!parsed.success) throw new UsageError(z.prettifyError(parsed.error));
  return {
    organisation: undefined,
    webhookUrl: undefined,
    ...parsed.data,
  };
}
