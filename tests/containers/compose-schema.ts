/**
 * JSON Schema for the parts of the Compose Specification (November 2026) that docker-compose.yml uses. Unknown keys are
 * errors, as in `docker compose config`.
 */
const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', minItems: 1, items: text } as const;
const duration = { type: 'string', pattern: '^\\d+(ms|s|m)$' } as const;
const memory = { type: 'string', pattern: '^\\d+[kmg]$' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const exactly = (properties: Record<string, object>, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const bind = exactly(
  {
    type: { const: 'bind' },
    source: text,
    target: text,
    read_only: { type: 'boolean' },
    bind: exactly({ create_host_path: { type: 'boolean' } }),
  },
  ['type', 'source', 'target'],
);

const service = {
  ...exactly({
    image: text,
    user: text,
    init: { type: 'boolean' },
    command: texts,
    profiles: texts,
    build: exactly(
      { context: text, target: text, args: { type: 'object', additionalProperties: { type: 'string' } } },
      ['context'],
    ),
    depends_on: texts,
    deploy: exactly({ replicas: { type: ['integer', 'string'] } }),
    environment: { type: 'object', additionalProperties: { type: 'string' } },
    cap_drop: texts,
    security_opt: texts,
    mem_limit: memory,
    memswap_limit: memory,
    pids_limit: count,
    ulimits: { type: 'object', additionalProperties: count },
    volumes: { type: 'array', items: { anyOf: [{ type: 'string', pattern: '^[a-z]+:/' }, bind] } },
    ports: { type: 'array', items: { type: 'string', pattern: '^([\\d.]+:)?\\d+:\\d+$' } },
    healthcheck: exactly(
      { test: texts, interval: duration, timeout: duration, start_period: duration, retries: count },
      ['test'],
    ),
    logging: exactly({ driver: text, options: { type: 'object', additionalProperties: { type: 'string' } } }),
    stop_grace_period: duration,
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
  }),
  anyOf: [{ required: ['image'] }, { required: ['build'] }],
};

export const COMPOSE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['services'],
  properties: {
    services: { type: 'object', additionalProperties: service },
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
  },
  // Extensions, which compose ignores.
  patternProperties: { '^x-': {} },
};
