import { OVERRIDES } from './overrides.js';
import { createValidators } from './validators.js';

describe('GitHub’s API description', () => {
  const validators = createValidators();

  it('has only responses and request bodies that compile to validators', () => {
    const failures: string[] = [];
    for (const [template, item] of Object.entries(validators.spec.paths))
      for (const [method, operation] of Object.entries(item)) {
        const statuses = Object.keys(operation.responses).map(Number);
        for (const check of [
          () => validators.checkBody({ method, template }, {}),
          ...statuses.map(
            (status) => () => validators.checkResponse({ method, template }, { status, body: {} }),
          ),
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

  it('contains every overridden field, and every override cites a report', () => {
    for (const { schema, field, cite } of OVERRIDES) {
      expect(cite).toMatch(/rest-api-description#\d+/);
      expect(validators.spec.components.schemas[schema]?.['properties']).toHaveProperty(field.split('.'));
    }
  });

  it('has validators that reject undocumented routes and statuses', () => {
    const check = (template: string, status: number, body: unknown) =>
      validators.checkResponse({ method: 'GET', template }, { status, body });
    expect(check('/user', 200, { login: 'x' })).not.toEqual([]);
    expect(check('/user', 202, {})).toEqual(['202 is not documented for /user']);
    expect(check('/nowhere', 200, {})).toEqual(["GET /nowhere is not in GitHub's description"]);
    const route = { method: 'DELETE', template: '/repos/{owner}/{repo}/labels/{name}' };
    expect(validators.checkResponse(route, { status: 204, body: undefined })).toEqual([]);
  });
});
