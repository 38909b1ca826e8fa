import { OVERRIDES } from './overrides.js';
import { createValidators } from './validators.js';

describe('the description of GitHub', () => {
  const validators = createValidators();

  it('compiles whole: every answer and every request body', () => {
    const failures: string[] = [];
    for (const [template, item] of Object.entries(validators.slice.paths))
      for (const [method, operation] of Object.entries(item)) {
        const statuses = Object.keys(operation.responses).map(Number);
        for (const check of [
          () => validators.checkBody(method, template, {}),
          ...statuses.map((status) => () => validators.checkAnswer(method, template, status, {})),
        ]) {
          try {
            check();
          } catch (error) {
            failures.push(`${method} ${template}: ${String(error)}`);
          }
        }
      }
    expect(failures).toEqual([]);
  });

  it('is overridden only where somebody has reported it, and each override still has its field', () => {
    for (const { schema, field, cite } of OVERRIDES) {
      expect(cite).toMatch(/rest-api-description#\d+/);
      expect(validators.slice.components.schemas[schema]?.['properties']).toHaveProperty(field);
    }
  });

  it('refuses answers and statuses that it does not know', () => {
    expect(validators.checkAnswer('GET', '/user', 200, { login: 'x' })).not.toEqual([]);
    expect(validators.checkAnswer('GET', '/user', 202, {})).toEqual(['202 is not documented for /user']);
    expect(validators.checkAnswer('GET', '/nowhere', 200, {})).toEqual([
      "GET /nowhere is not in GitHub's description",
    ]);
    expect(validators.checkAnswer('DELETE', '/repos/{owner}/{repo}/labels/{name}', 204, undefined)).toEqual(
      [],
    );
  });
});
