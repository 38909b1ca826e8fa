import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { EXAMPLE_SEED, parseSeed, type SeedInput } from './seed.js';
import { startTwin, type Twin } from './start-twin.js';

const HELP = `An offline GitHub on this machine.

  --port N      listen on this port of 127.0.0.1 (default: any free one)
  --dir DIR     keep state in DIR, and go on from what is there (default: temporary)
  --seed FILE   what to start with, as JSON (default: a small example)
  --control     switch on the control endpoint under /_twin/: no token is asked there
  --pages       pages for people with a browser, at the same address: whoever opens them is whom they like
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
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${text} is no port`);
  return port;
}

function readSeed(file: string): SeedInput {
  const seed: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
  return parseSeed(seed);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
