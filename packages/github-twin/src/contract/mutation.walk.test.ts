import type { Slice } from '../spec/slice.js';
import { operationOf, responseSchemaOf } from '../spec/slice.js';
import { createValidators } from '../spec/validators.js';
import { at } from '../testing/json-fields.js';
import { makeTempDir, REPO, startTestTwin } from '../testing/test-twin.js';
import { contractCases } from './cases/index.js';
import type { Sample } from './client/client.js';
import { type Bench, openBench } from './client/workbench.js';

type Tamper = (route: string, body: unknown) => unknown;

/** Runs the whole suite against a twin that does not check itself; answers with what the suite collected. */
async function runSuite(tamper?: Tamper): Promise<Sample[]> {
  const twin = await startTestTwin({ strict: false });
  const target = {
    apiUrl: twin.url,
    gitUrl: twin.gitUrl('acme', 'app'),
    token: twin.tokens['alice'] ?? '',
    repo: REPO,
  };
  const bench: Bench = await openBench(target, makeTempDir());
  twin.control.set({ tamper });
  for (const { run } of contractCases) await run(bench);
  return bench.client.samples;
}

describe('the contract suite', () => {
  it.each([
    ['GET /repos/{owner}/{repo}/pulls/{pull_number}', 'head'],
    ['GET /repos/{owner}/{repo}/issues/comments', 'user'],
  ])('fails when %s loses its %s', async (route, field) => {
    const tamper: Tamper = (answered, body) => (answered === route ? dropField(body, field) : body);
    await expect(runSuite(tamper)).rejects.toThrow('does not conform');
  });

  it('fails for every required field of every answer that it looks at', async () => {
    const samples = await runSuite();
    const validators = createValidators();
    let mutants = 0;
    const survivors: string[] = [];
    for (const { method, template, status, body } of samples) {
      for (const field of requiredFields(validators.slice, method, template, status)) {
        if (at(Array.isArray(body) ? body[0] : body, field) === undefined) continue;
        mutants += 1;
        const errors = validators.checkAnswer(method, template, status, dropField(body, field));
        if (errors.length === 0) survivors.push(`${method} ${template} ${status} without ${field}`);
      }
    }
    expect(survivors).toEqual([]);
    expect(mutants).toBeGreaterThan(1_000);
    expect(new Set(samples.map((sample) => `${sample.method} ${sample.template}`)).size).toBeGreaterThan(43);
  });
});

function dropField(body: unknown, field: string): unknown {
  if (Array.isArray(body)) return body.map((row) => dropField(row, field));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));
}

function requiredFields(slice: Slice, method: string, template: string, status: number): string[] {
  const operation = operationOf(slice, method, template);
  const schema = operation && responseSchemaOf(slice, operation, status);
  const row = at(schema, 'items') ?? schema;
  const ref = at(row, '$ref');
  const resolved = typeof ref === 'string' ? at(slice, ...ref.split('/').slice(1)) : row;
  const required = at(resolved, 'required');
  return Array.isArray(required) ? required.map(String) : [];
}
