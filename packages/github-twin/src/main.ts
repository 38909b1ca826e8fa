import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { EXAMPLE_SEED, parseSeed, type SeedInput } from './start/seed.js';
import { startTwin, type Twin } from './start/start-twin.js';

const HELP = `An offline GitHub on this machine.

  --port N      listen on this port of 127.0.0.1 (default: any free one)
  --dir DIR     keep state in DIR, and go on from what is there (default: temporary)
  --seed FILE   what to start with, as JSON (default: a small example)
  --control     switch on the control endpoint under /_twin/: no token is asked there
  --pages       pages for a browser, at the same address; a visitor chooses which user to be
  --loose       do not refuse unknown parameters and fields
  --help        this text
`;

const say = (text: string) => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      dir: { type: 'string' },
      seed: { type: 'string' },
      control: { type: 'boolean', default: false },
      pages: { type: 'boolean', default: false },
      loose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(HELP);
  const twin = await startTwin({
    seed: values.seed === undefined ? EXAMPLE_SEED : readSeed(values.seed),
    strict: !values.loose,
    controlEndpoint: values.control,
    pages: values.pages,
    ...(values.port !== undefined && { port: readPort(values.port) }),
    ...(values.dir !== undefined && { dir: values.dir }),
  });
  introduce(twin);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void twin.stop());
}

function introduce(twin: Twin): void {
  say(`url ${twin.url}`);
  for (const [login, token] of Object.entries(twin.tokens)) say(`token ${login} ${token}`);
  for (const repo of twin.world.store.repos.all())
    say(`repo ${repo.owner}/${repo.name} ${twin.gitUrl(repo.owner, repo.name)}`);
  say('ready');
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  return port;
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
