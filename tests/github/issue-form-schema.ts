/** JSON Schema for GitHub's issue forms and the template chooser. Unknown keys are errors. */
const text = { type: 'string', minLength: 1 } as const;
const flag = { type: 'boolean' } as const;
const texts = { type: 'array', items: text, minItems: 1, uniqueItems: true } as const;

type Attributes = Readonly<Record<string, object>>;

/** Schema of a form element that people fill in. */
function field(type: string, attributes: Attributes, required: readonly string[] = []) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'id', 'attributes'],
    properties: {
      type: { const: type },
      id: { type: 'string', pattern: '^[\\w-]+$' },
      attributes: {
        type: 'object',
        additionalProperties: false,
        required: ['label', ...required],
        properties: { label: text, description: text, ...attributes },
      },
      validations: {
        type: 'object',
        additionalProperties: false,
        properties: { required: flag },
      },
    },
  };
}

const markdown = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'attributes'],
  properties: {
    type: { const: 'markdown' },
    attributes: {
      type: 'object',
      additionalProperties: false,
      required: ['value'],
      properties: { value: text },
    },
  },
};

const choice = {
  type: 'object',
  additionalProperties: false,
  required: ['label'],
  properties: { label: text, required: flag },
};

const written = { placeholder: text, value: text };
const element = {
  oneOf: [
    markdown,
    field('textarea', { ...written, render: { enum: ['Shell', 'Text'] } }),
    field('input', written),
    field('dropdown', { multiple: flag, options: texts, default: { type: 'integer', minimum: 0 } }, [
      'options',
    ]),
    field('checkboxes', { options: { type: 'array', items: choice, minItems: 1 } }, ['options']),
  ],
};

export const ISSUE_FORM_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'description', 'body'],
  properties: {
    name: text,
    description: text,
    title: text,
    labels: texts,
    assignees: texts,
    body: { type: 'array', items: element, minItems: 1 },
  },
};

export const ISSUE_CHOOSER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    blank_issues_enabled: flag,
    contact_links: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'url', 'about'],
        properties: { name: text, url: { type: 'string', pattern: '^https://' }, about: text },
      },
    },
  },
};
