import { z } from 'zod';
import { repoPath } from '../agent/texts.js';

const MAX_TOUCH_PATHS = 200;
const MAX_DEPENDENCIES = 50;

/** An issue by its number, or a design document by its path. */
export type Dependency = number | string;

const ISSUE = 'write the number of the issue, such as 12';
const PRIORITY = 'write a whole number from 1 (low) to 5 (high)';
const TOUCH_PATHS = 'write a list of paths, one per line, each after "- "';
const TOUCH_PATH = 'write a path inside the repository: relative, with forward slashes, without ".."';
const DEPENDS_ON = 'write a list of issues, such as [12, 15], or [] for none';
const DEPENDENCY =
  'write the number of an issue, such as 12, or the path of a design document; "#12" needs its quotes, because YAML treats a bare # as a comment';
const SIZE = 'write S, M or L';

const note = (max: number) =>
  z
    .string('write text')
    .max(max, `write at most ${max} characters`)
    .nullish()
    .transform((text) => text ?? null);

const DependencyItem = z.unknown().transform((value, context): Dependency => {
  const dependency = readDependency(value);
  if (dependency !== null) return dependency;
  context.addIssue({ code: 'custom', message: DEPENDENCY });
  return z.NEVER;
});

/** The metadata of a design document. An empty value counts as missing, and unknown keys are ignored. */
export const Frontmatter = z
  .object({
    issue: z.int(ISSUE).min(1, ISSUE),
    priority: z.int(PRIORITY).min(1, PRIORITY).max(5, PRIORITY).nullish(),
    touch_paths: z
      .array(z.string(TOUCH_PATH).refine(isRepoPath, TOUCH_PATH), TOUCH_PATHS)
      .max(MAX_TOUCH_PATHS, `write at most ${MAX_TOUCH_PATHS} paths; a directory covers everything in it`)
      .nullish(),
    depends_on: z
      .array(DependencyItem, DEPENDS_ON)
      .max(MAX_DEPENDENCIES, `write at most ${MAX_DEPENDENCIES} dependencies`)
      .nullish(),
    estimated_size: z.enum(['S', 'M', 'L'], SIZE).nullish(),
    status: note(100),
    implemented_at: note(100),
    generated_at: note(100),
  })
  .transform((raw) => ({
    issue: raw.issue,
    priority: raw.priority ?? 3,
    touchPaths: raw.touch_paths ?? [],
    dependsOn: raw.depends_on ?? [],
    estimatedSize: raw.estimated_size ?? 'M',
    status: raw.status,
    implementedAt: raw.implemented_at,
    generatedAt: raw.generated_at,
  }));
export type Frontmatter = z.infer<typeof Frontmatter>;

/** Reads `12`, `"12"`, `"#12"` or `docs/design/12-login.md`; null for anything else. */
function readDependency(value: unknown): Dependency | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return null;
  const [, digits] = /^#?([1-9]\d{0,11})$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  return text.endsWith('.md') && isRepoPath(text) ? text.replace(/^(?:\.\/)+/, '') : null;
}

function isRepoPath(text: string): boolean {
  return repoPath().safeParse(text).success;
}
