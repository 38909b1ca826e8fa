import { type AgentOutputs, buildOutputSchema, parseAgentOutput } from '@mergexo/core/agent';
import { QUESTION_KINDS, type QuestionKind } from '@mergexo/core/turns';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';

const ajv = new Ajv2020({ allErrors: true, strict: true });
const validators = new Map(QUESTION_KINDS.map((kind) => [kind, ajv.compile(buildOutputSchema(kind))]));
const fits = (kind: QuestionKind, value: unknown): boolean => validators.get(kind)?.(value) === true;

const printable = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .map((text) => `t${text}`.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ''));
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const path = fc.array(fc.constantFrom('src', '**', '*.ts', '.github', 'a b', '...'), {
  minLength: 1,
  maxLength: 5,
});
const repoPath = path.map((parts) => parts.join('/'));
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const change = fc.record({
  pr_title: printable(200),
  pr_summary: printable(500),
  commit_message: fc.tuple(printable(100), printable(500)).map((parts) => parts.join('\n\n')),
  state_summary: printable(500),
  blocked_reason: orNull(printable(100)),
});
const acceptance = fc.array(
  fc.record({
    criterion: fc.integer({ min: 1, max: 50 }),
    shown_by: fc.array(repoPath, { minLength: 1, maxLength: 20 }),
  }),
  { maxLength: 50 },
);
const feedback = fc.record({
  review_replies: fc.uniqueArray(fc.record({ review_comment_id: id, body: printable(100) }), {
    selector: ({ review_comment_id }) => review_comment_id,
    maxLength: 100,
  }),
  general_comment: orNull(printable(100)),
  commit_message: orNull(printable(100)),
  state_summary: printable(100),
  blocked_reason: orNull(printable(100)),
  flaky: orNull(fc.record({ run_id: id, reason: printable(100) })),
});

/** Generates values that match the JSON Schema and the rules that the schema cannot express. */
const OUTPUTS: { [Kind in keyof AgentOutputs]: fc.Arbitrary<object> } = {
  design_start: fc.record({
    title: printable(200),
    summary: printable(100),
    touch_paths: fc.array(repoPath, { maxLength: 200 }),
    priority: fc.integer({ min: 1, max: 5 }),
    depends_on: fc.array(id, { maxLength: 50 }),
    estimated_size: fc.constantFrom('S', 'M', 'L'),
    design_doc_markdown: printable(1_000),
    state_summary: printable(100),
    blocked_reason: orNull(printable(100)),
  }),
  bugfix_start: change,
  small_job_start: change,
  implementation_start: fc
    .tuple(change, acceptance)
    .map(([reply, shown]) => ({ ...reply, acceptance: shown })),
  design_feedback: feedback,
  implementation_feedback: feedback,
  review: fc.record({
    summary: printable(100),
    findings: fc.array(
      fc.record({
        path: repoPath,
        start_line: fc.constant(null),
        line: orNull(id),
        introduced: fc.boolean(),
        severity: fc.constantFrom('critical', 'high', 'medium', 'low'),
        category: fc.constantFrom('security', 'tests', 'spec_compliance'),
        body: printable(100),
        suggestion: orNull(printable(100)),
      }),
      { maxLength: 50 },
    ),
    earlier: fc.array(
      fc.record({
        id,
        status: fc.constantFrom('holds', 'fixed'),
        line: orNull(id),
        evidence: printable(100),
      }),
      { maxLength: 100 },
    ),
  }),
  review_verify: fc.record({
    findings: fc.array(
      fc.record({ id, status: fc.constantFrom('confirmed', 'refuted'), evidence: printable(100) }),
      { maxLength: 100 },
    ),
  }),
  review_fix: fc.record({
    commit_message: orNull(printable(100)),
    findings: fc.uniqueArray(
      fc.record({ id, resolution: fc.constantFrom('fixed', 'wontfix', 'disputed'), note: printable(100) }),
      { selector: (finding) => finding.id, maxLength: 50 },
    ),
    summary: printable(100),
    state_summary: printable(100),
  }),
};

describe.each(QUESTION_KINDS)('the output of %s', (kind) => {
  it('is accepted by both the JSON schema and the parser', () => {
    fc.assert(
      fc.property(OUTPUTS[kind], (output) => {
        expect({ fits: fits(kind, output), errors: validators.get(kind)?.errors }).toEqual({
          fits: true,
          errors: null,
        });
        expect(parseAgentOutput(kind, output)).toMatchObject({ kind: 'valid' });
      }),
      { numRuns: 40 },
    );
  });

  it('is rejected by both the JSON schema and the parser if a field is unknown, mistyped or too long', () => {
    const spoil = fc.constantFrom<(key: string) => object>(
      () => ({ surprise: 1 }),
      (key) => ({ [key]: { not: 'this' } }),
      (key) => ({ [key]: true }),
      (key) => ({ [key]: 'x'.repeat(200_001) }),
    );
    fc.assert(
      fc.property(OUTPUTS[kind], spoil, fc.nat(), (output, change, index) => {
        const keys = Object.keys(output);
        const spoilt = { ...output, ...change(keys[index % keys.length] ?? '') };
        expect(fits(kind, spoilt)).toBe(false);
        expect(parseAgentOutput(kind, spoilt)).toMatchObject({ kind: 'invalid' });
      }),
      { numRuns: 40 },
    );
  });

  it('always matches the JSON schema if the parser accepts it and omitted fields are null', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.object(), OUTPUTS[kind], fc.record({ blocked_reason: fc.string() })),
        (value) => {
          const parsed = parseAgentOutput(kind, value);
          if (parsed.kind === 'invalid') return;
          const output = Object.entries(parsed.output).filter(([key]) => key !== 'kind');
          const { properties } = Object(buildOutputSchema(kind));
          const nulls = Object.keys(properties).map((key) => [key, null]);
          expect(fits(kind, Object.fromEntries([...nulls, ...output]))).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('has a schema that providers accept: an object at the root, all keys required, no additional keys', () => {
    const check = (schema: object): void => {
      const { type, properties, required, additionalProperties } = Object(schema);
      expect(schema).not.toHaveProperty('default');
      if (type === 'object') {
        expect([required, additionalProperties]).toEqual([Object.keys(properties), false]);
      }
      for (const part of Object.values(schema)) if (typeof part === 'object' && part !== null) check(part);
    };
    const schema = buildOutputSchema(kind);
    expect(schema).toMatchObject({ type: 'object' });
    expect(schema).not.toHaveProperty('$schema');
    check(schema);
  });
});
