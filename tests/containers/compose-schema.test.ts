import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { COMPOSE_SCHEMA } from './compose-schema.js';
import { read } from './read-compose.js';

const yaml: { load(text: string): unknown } = createRequire(import.meta.url)('js-yaml');
const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false }).compile(
  COMPOSE_SCHEMA,
);

function findProblems(text: string): string[] {
  if (validate(yaml.load(text))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

describe('docker-compose.yml', () => {
  const compose = read('docker-compose.yml');

  it('matches the schema of the Compose Specification', () => {
    expect(findProblems(compose)).toEqual([]);
  });

  it.each([
    ['depends_on', 'depend_on'],
    ['healthcheck:', 'health_check:'],
    ['interval: 5s', 'interval: 5'],
    ['restart: unless-stopped', 'restart: unless-stoped'],
    ['{ create_host_path', '{ create_hostpath'],
    ['stop_grace_period: 90s', 'stop_grace_period: 90 seconds'],
    ['mem_limit: 10g', 'mem_limit: 10 GB'],
    ['pids_limit: 4500', 'pids_limit: many'],
    ["'127.0.0.1:7420:7420'", "'127.0.0.1:7420:http'"],
    ['services:', 'service:'],
  ])('would fail this test if "%s" were "%s"', (right, wrong) => {
    expect(compose).toContain(right);
    expect(findProblems(compose.replace(right, wrong))).not.toEqual([]);
  });
});
