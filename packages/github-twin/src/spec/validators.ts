import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { type Json, loadSpec, operationOf, responseSchemaOf, type Spec } from './load-spec.js';
import { applyOverrides, toJsonSchema } from './overrides.js';

export type RouteName = { method: string; template: string };
export type Checked = { status: number; body: unknown; json?: string };
export type Validators = ReturnType<typeof createValidators>;

/** Validates requests and responses against GitHub's API description, for the twin and the contract suite. */
export function createValidators() {
  const spec = loadSpec();
  applyOverrides(spec);
  const compile = createCompiler(spec);
  const conforming = new Set<string>();

  function findErrors({ method, template }: RouteName, { status, body }: Checked): string[] {
    const operation = operationOf(spec, method, template);
    if (!operation) return [`${method} ${template} is not in GitHub's description`];
    // Any GET can be conditional, even though the description mentions 304 for only a few routes.
    if (status === 304 && method === 'GET') return body === undefined ? [] : ['a 304 must not have a body'];
    // Every route redirects if the repository was renamed.
    const moved = status === 301 || status === 307;
    if (!(String(status) in operation.responses) && status < 400 && !moved)
      return [`${status} is not documented for ${template}`];
    const schema =
      responseSchemaOf(spec, operation, status) ?? (status >= 400 || moved ? BASIC_ERROR : undefined);
    if (!schema) return body === undefined ? [] : [`${status} of ${template} must not have a body`];
    return check(compile(`${method} ${template} ${status}`, schema), body);
  }

  return {
    spec,
    /** Lists the differences between a response and GitHub's API description. Returns an empty list if it is valid. */
    checkResponse({ method, template }: RouteName, { status, body, json }: Checked): string[] {
      // Valid responses are cached, because polling repeats them.
      const text = `${method} ${template} ${status}\n${json}`;
      const key = json === undefined ? undefined : createHash('sha1').update(text).digest('base64');
      if (key !== undefined && conforming.has(key)) return [];
      const errors = findErrors({ method, template }, { status, body });
      if (key !== undefined && errors.length === 0) conforming.add(key);
      return errors;
    },
    checkBody({ method, template }: RouteName, body: unknown): ErrorObject[] {
      const schema = operationOf(spec, method, template)?.requestBody?.content['application/json']?.schema;
      if (!schema) return [];
      const validate = compile(`${method} ${template} body`, schema);
      return validate(body) ? [] : [...(validate.errors ?? [])];
    },
    checkParameter(name: string, schema: Json, value: unknown): string[] {
      return check(compile(`parameter ${name} ${JSON.stringify(schema)}`, schema), value);
    },
  };
}

const BASIC_ERROR: Json = {
  $ref: '#/components/schemas/basic-error',
  required: ['message', 'documentation_url'],
};

function createCompiler(spec: Spec): (key: string, schema: Json) => ValidateFunction {
  // Each test suite compiles these schemas. Without inlining and optimizing, compiling takes less than half the time.
  const quick = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, ...quick });
  // The package is CommonJS, so the function is the default export of its default export.
  const { default: addFormats } = formats.default;
  addFormats(ajv);
  // The addresses of bots contain `[bot]`, which the usual check refuses.
  ajv.addFormat('email', /^[^\s@]+@[^\s@]+$/);
  ajv.addSchema({ $id: 'gh', components: toJsonSchema(spec.components) });
  const compiled = new Map<string, ValidateFunction>();
  return (key, schema) => {
    const known = compiled.get(key);
    if (known) return known;
    const text = JSON.stringify(toJsonSchema(schema)).replaceAll('"#/components', '"gh#/components');
    const fresh = ajv.compile(JSON.parse(text));
    compiled.set(key, fresh);
    return fresh;
  };
}

function check(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return [];
  return (validate.errors ?? []).slice(0, 20).map((error) => `${error.instancePath || '/'} ${error.message}`);
}
