import { z } from 'zod';
import { allowedBy } from '../kinds/kind.js';
import { nestedIn } from '../sections/all-sections.js';
import { notesOf, type Section } from '../sections/section.js';
import { showElement, showKey, showValue } from '../values/show-value.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { isTable, type TomlTable } from '../values/toml-table.js';
import { findUnknownKeys } from './find-unknown-keys.js';
import { type Finding, isBroken, notAllowed } from './finding.js';

export type ReadTable<Shape extends z.ZodRawShape> = {
  table: z.output<z.ZodObject<Shape>>;
  findings: Finding[];
};

/**
 * Reads a table key by key, so that one invalid value does not hide another. Replaces an invalid value with the key's
 * default or example, so that checks across several keys can still run.
 */
export function readTable<Shape extends z.ZodRawShape>(
  section: Section<Shape>,
  place: { path: string; value: unknown; secrets: readonly Finding[] },
): ReadTable<Shape> {
  const { path, value, secrets } = place;
  const findings: Finding[] = [];
  const isUsable = value === undefined || isTable(value);
  if (!isUsable) {
    findings.push({ path, message: notAllowed(showValue(value), `a table, [${path}]`), breaks: [path] });
  }
  const raw: TomlTable = isTable(value) ? value : {};
  const nested = nestedIn(path)?.title.split('.')[1] ?? [];
  const known = [...Object.keys(section.shape).map(toTomlKey), ...[nested].flat()];
  findings.push(...findUnknownKeys(raw, { path, known, secrets }));

  const values: TomlTable = {};
  for (const [name, schema] of Object.entries(section.shape)) {
    const key = toTomlKey(name);
    const keyPath = showKey(path, key);
    const seen = Object.hasOwn(raw, key) ? raw[key] : undefined;
    const problems = isBroken(keyPath, secrets) ? [] : checkValue(schema, keyPath, seen);
    // A section that is not a table is reported once, without its missing keys.
    if (isUsable) findings.push(...problems);
    const isGood = problems.length === 0 && !isBroken(keyPath, secrets);
    values[name] = isGood ? seen : standIn(schema);
  }
  return { table: z.object(section.shape).parse(values), findings };
}

function checkValue(schema: z.core.$ZodType, path: string, seen: unknown): Finding[] {
  const parsed = z.safeParse(schema, seen);
  if (parsed.success) return [];
  const allowed = allowedBy(schema);
  if (seen === undefined) return [{ path, message: `missing, expected ${allowed}`, breaks: [path] }];

  const complaints = new Map<string, Finding>();
  for (const issue of parsed.error.issues) {
    const index = issue.path[0];
    const isElement = Array.isArray(seen) && typeof index === 'number';
    const at = isElement ? showElement(path, index) : path;
    const value = isElement ? seen[index] : seen;
    // A schema may add its own explanation.
    const own: unknown = issue.code === 'custom' ? issue.params?.['complaint'] : undefined;
    const message =
      typeof own === 'string' ? `got ${showValue(value)}, ${own}` : notAllowed(showValue(value), allowed);
    complaints.set(at, { path: at, message, breaks: [path] });
  }
  return [...complaints.values()];
}

function standIn(schema: z.core.$ZodType): unknown {
  return z.safeParse(schema, undefined).success ? undefined : notesOf(schema).example;
}
