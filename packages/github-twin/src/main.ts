#!/usr/bin/env node
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { EXAMPLE_SEED, parseSeed, type SeedInput } from './start/seed.js';
import { startTwin, type Twin } from './start/start-twin.js';

const HELP = `An offline GitHub on this machine.

  --port N      listen on this port of 127.0.0.1 (default: any free one)
  --dir DIR     keep the state in DIR; a restart with the same DIR continues from there
  --seed FILE   read users and repositories from this JSON file (default: a small example)
  --control     open the control endpoint /_twin/ for programs on this machine, without a token
  --latency MS  delay every API response by about MS milliseconds, varied by up to 20 % (default: 0)
  --enterprise VERSION  stand for an Enterprise Server of this version, such as 3.19.2
  --webhook URL send signed webhooks about every change to URL; the secret comes from TWIN_WEBHOOK_SECRET
  --pages       serve pages for a browser; a visitor chooses which user to be
  --help        show this text
`;

const say = (text: string) => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      dir: { type: 'string' },
      seed: { type: 'string' },
      control: { type: 'boolean', default: false },
      enterprise: { type: 'string' },
      latency: { type: 'string', default: '0' },
      webhook: { type: 'string' },
      pages: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(HELP);
  const twin = await startTwin({
    seed: values.seed === undefined ? EXAMPLE_SEED : readSeed(values.seed),
    controlEndpoint: values.control,
    latencyMs: readNumber('--latency', values.latency, 60_000),
    pages: values.pages,
    ...(values.port !== undefined && { port: readNumber('--port', values.port, 65_535) }),
    ...(values.enterprise !== undefined && { enterpriseVersion: readVersion(values.enterprise) }),
    ...(values.dir !== undefined && { dir: values.dir }),
    ...(values.webhook !== undefined && { webhook: readWebhook(values.webhook) }),
  });
  introduce(twin);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void twin.stop());
}

function introduce(twin: Twin): void {
  say(`url ${twin.url}`);
  for (const [login, token] of Object.entries(twin.tokens)) say(`token ${login} ${token}`);
  for (const { id, slug, clientId } of twin.world.store.apps.all())
    if (twin.app(slug).keys().length > 0) say(`app ${slug} ${id} ${clientId}`);
  for (const repo of twin.world.store.repos.all())
    say(`repo ${repo.owner}/${repo.name} ${twin.gitUrl(repo.owner, repo.name)}`);
  say('ready');
}

function readWebhook(url: string): { url: string; secret: string } {
  const secret = process.env['TWIN_WEBHOOK_SECRET'] ?? '';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--webhook must be an http:// or https:// URL, not ${JSON.stringify(url)}.`);
  if (secret === '') throw new UsageError('--webhook needs a secret: set TWIN_WEBHOOK_SECRET.');
  return { url, secret };
}

function readVersion(version: string): string {
  if (/^\d+\.\d+(?:\.\d+)?$/.test(version)) return version;
  throw new UsageError(`--enterprise must be a version such as 3.19.2, not ${JSON.stringify(version)}.`);
}

function readNumber(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > most)
    throw new UsageError(`${flag} must be a number from 0 to ${most}, not ${JSON.stringify(text)}.`);
  return number;
}

function readSeed(file: string): SeedInput {
  if (!fs.existsSync(file))
    throw new Error(`The seed ${file} does not exist. packages/github-twin/README.md describes the format.`);
  return parseSeed(parseJson(file, fs.readFileSync(file, 'utf8')));
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The seed ${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

class UsageError extends Error {}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function describeError(error: unknown): string {
  if (codeOf(error) === 'EADDRINUSE' && error instanceof Error && 'port' in error)
    return `Port ${error.port} is in use: choose another one with --port, or leave it out to get a free one.`;
  return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = error instanceof UsageError || codeOf(error).startsWith('ERR_PARSE_ARGS_') ? 2 : 1;
});
