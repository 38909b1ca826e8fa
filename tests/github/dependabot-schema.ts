/** JSON Schema for the parts of Dependabot's configuration that this repository uses. Unknown keys are errors. */
const text = { type: 'string', minLength: 1 } as const;
const directory = { type: 'string', pattern: '^/' } as const;
const texts = { type: 'array', items: text, minItems: 1 } as const;

const group = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    'dependency-type': { enum: ['development', 'production'] },
    'update-types': { type: 'array', items: { enum: ['major', 'minor', 'patch'] }, minItems: 1 },
    patterns: texts,
    'exclude-patterns': texts,
  },
} as const;

const update = {
  type: 'object',
  additionalProperties: false,
  required: ['package-ecosystem', 'schedule'],
  oneOf: [{ required: ['directory'] }, { required: ['directories'] }],
  properties: {
    'package-ecosystem': { enum: ['npm', 'docker', 'docker-compose', 'github-actions'] },
    directory,
    directories: { type: 'array', items: directory, minItems: 1 },
    schedule: {
      type: 'object',
      additionalProperties: false,
      required: ['interval'],
      properties: { interval: { enum: ['daily', 'weekly', 'monthly'] } },
    },
    'open-pull-requests-limit': { type: 'integer', minimum: 0 },
    labels: texts,
    'commit-message': {
      type: 'object',
      additionalProperties: false,
      properties: { prefix: text, 'prefix-development': text, include: { const: 'scope' } },
    },
    groups: { type: 'object', additionalProperties: group },
  },
} as const;

export const DEPENDABOT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['version', 'updates'],
  properties: { version: { const: 2 }, updates: { type: 'array', items: update, minItems: 1 } },
} as const;
