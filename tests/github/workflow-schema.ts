/**
 * JSON Schema for the parts of GitHub's workflow syntax that this repository uses. Unknown keys are errors, so that a
 * test reports misspelled keys, which GitHub might ignore.
 */
const text = { type: 'string', minLength: 1 } as const;
const scalar = { type: ['string', 'number', 'boolean'] } as const;
const texts = { type: 'array', items: text, minItems: 1 } as const;
const level = { enum: ['read', 'write', 'none'] } as const;

const permissions = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    actions: level,
    attestations: level,
    checks: level,
    contents: level,
    deployments: level,
    'id-token': level,
    issues: level,
    packages: level,
    pages: level,
    'pull-requests': level,
    'security-events': level,
    statuses: level,
  },
} as const;

const concurrency = {
  type: 'object',
  additionalProperties: false,
  required: ['group'],
  properties: { group: text, 'cancel-in-progress': { type: ['boolean', 'string'] } },
} as const;

const env = { type: 'object', additionalProperties: scalar } as const;

const step = {
  type: 'object',
  additionalProperties: false,
  oneOf: [{ required: ['uses'] }, { required: ['run'] }],
  properties: {
    id: text,
    name: text,
    if: text,
    // Actions are pinned to a major version, which Dependabot updates.
    uses: { type: 'string', pattern: '^[\\w.-]+/[\\w./-]+@v\\d+$' },
    with: { type: 'object', additionalProperties: scalar },
    run: text,
    shell: text,
    'working-directory': text,
    'continue-on-error': { type: 'boolean' },
    'timeout-minutes': { type: 'integer', minimum: 1 },
    env,
  },
} as const;

const job = {
  type: 'object',
  additionalProperties: false,
  // Without a timeout, a job may run for six hours.
  required: ['runs-on', 'timeout-minutes', 'steps'],
  properties: {
    name: text,
    if: text,
    needs: { anyOf: [text, texts] },
    'runs-on': text,
    'timeout-minutes': { type: 'integer', minimum: 1, maximum: 120 },
    permissions,
    concurrency,
    env,
    environment: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { name: text, url: text },
    },
    outputs: { type: 'object', additionalProperties: text },
    strategy: {
      type: 'object',
      additionalProperties: false,
      required: ['matrix'],
      properties: {
        'fail-fast': { type: 'boolean' },
        'max-parallel': { type: 'integer', minimum: 1 },
        matrix: { type: 'object', additionalProperties: { type: 'array', items: scalar, minItems: 1 } },
      },
    },
    steps: { type: 'array', items: step, minItems: 1 },
  },
} as const;

const filters = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    branches: texts,
    'branches-ignore': texts,
    paths: texts,
    'paths-ignore': texts,
    types: texts,
  },
} as const;

export const WORKFLOW_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'on', 'permissions', 'concurrency', 'jobs'],
  properties: {
    name: text,
    on: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        push: { ...filters, properties: { ...filters.properties, tags: texts } },
        pull_request: filters,
        workflow_dispatch: { type: 'null' },
        schedule: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['cron'],
            properties: { cron: { type: 'string', pattern: '^(\\S+ ){4}\\S+$' } },
          },
        },
      },
    },
    permissions,
    concurrency,
    env,
    jobs: { type: 'object', minProperties: 1, additionalProperties: job },
  },
} as const;
