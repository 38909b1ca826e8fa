import {
  buildZipf,
  chooseBetween,
  chooseLogNormal,
  chooseWeighted,
  createRandom,
  type Random,
} from './random.js';

/**
 * The month on which both schedulers are measured. Its parameters were fixed before tuning. See `docs/scheduling.md`.
 */
export const MONTH_HOURS = 30 * 24;
const DESIGNS = 200;

export type Size = 'S' | 'M' | 'L';

export type Design = {
  issueNumber: number;
  arrivesAt: number;
  priority: number;
  size: Size;
  /** Files that the implementation really changes. */
  files: readonly string[];
  /** Files that the design predicts. */
  touchPaths: readonly string[];
  dependsOn: readonly number[];
  /** Time from the start until the pull request is open. */
  agentHours: number;
  /** Time from the start until people merge the pull request, if there are no conflicts. */
  lifeHours: number;
};

const SIZES = ['S', 'M', 'L'] as const;
const SIZE_SHARES = [0.45, 0.4, 0.15];
const BY_SIZE = {
  S: { files: [1, 3], modules: [1, 1], agentHours: 0.5, lifeMedian: 6, everywhere: 0.03 },
  M: { files: [3, 8], modules: [1, 2], agentHours: 1, lifeMedian: 14, everywhere: 0.1 },
  L: { files: [8, 20], modules: [2, 3], agentHours: 2, lifeMedian: 30, everywhere: 0.25 },
} as const;
const LIFE_SIGMA = 0.5;

const MODULE_WEIGHTS = buildZipf(20, 1);
const FILES_PER_MODULE = 40;
const FILE_WEIGHTS = buildZipf(FILES_PER_MODULE, 0.8);
const DIRECTORIES_PER_MODULE = 5;
/** Files that work in any module may need to touch. */
const EVERYWHERE = ['package.json', 'docs/configuration.md'];

const PRIORITY_SHARES = [0.1, 0.2, 0.4, 0.2, 0.1];
const DEPENDS_ON_SHARE = 0.05;

/** Errors in designs: missed files, named files that the implementation does not change, and whole directories. */
const UNFORESEEN_SHARE = 0.15;
const IN_VAIN_SHARE = 0.2;
const DIRECTORY_SHARE = 0.25;

export function drawMonth(seed: number): Design[] {
  const random = createRandom(seed);
  const times = Array.from({ length: DESIGNS }, () => drawWorkingTime(random)).sort((a, b) => a - b);
  return times.map((arrivesAt, index) => drawDesign(random, index + 1, arrivesAt));
}

/** People merge designs between 9:00 and 18:00. */
function drawWorkingTime(random: Random): number {
  return chooseBetween(random, 0, 29) * 24 + 9 + random() * 9;
}

function drawDesign(random: Random, issueNumber: number, arrivesAt: number): Design {
  const size = SIZES[chooseWeighted(random, SIZE_SHARES)] ?? 'M';
  const { files: count, modules, agentHours, lifeMedian, everywhere } = BY_SIZE[size];
  const places = drawModules(random, chooseBetween(random, modules[0], modules[1]));
  const files = new Set(EVERYWHERE.filter(() => random() < everywhere));
  for (let left = chooseBetween(random, count[0], count[1]); left > 0; left -= 1) {
    files.add(drawFile(random, places));
  }
  const isDependent = issueNumber > 1 && random() < DEPENDS_ON_SHARE;
  return {
    issueNumber,
    arrivesAt,
    priority: chooseWeighted(random, PRIORITY_SHARES) + 1,
    size,
    files: [...files],
    touchPaths: foresee(random, [...files], places),
    dependsOn: isDependent ? [chooseBetween(random, 1, issueNumber - 1)] : [],
    agentHours,
    lifeHours: Math.max(agentHours, chooseLogNormal(random, lifeMedian, LIFE_SIGMA)),
  };
}

function drawModules(random: Random, count: number): number[] {
  const found = new Set<number>();
  while (found.size < count) found.add(chooseWeighted(random, MODULE_WEIGHTS));
  return [...found];
}

/** Draws a file. Half of the files are in the first module. */
function drawFile(random: Random, modules: readonly number[]): string {
  const module = random() < 0.5 ? modules[0] : modules[chooseBetween(random, 0, modules.length - 1)];
  const file = chooseWeighted(random, FILE_WEIGHTS);
  return `packages/m${module}/src/d${file % DIRECTORIES_PER_MODULE}/f${file}.ts`;
}

function foresee(random: Random, files: readonly string[], modules: readonly number[]): string[] {
  const paths = new Set<string>();
  for (const file of files) {
    if (random() < UNFORESEEN_SHARE) continue;
    const isDirectory = file.startsWith('packages/') && random() < DIRECTORY_SHARE;
    paths.add(isDirectory ? `${file.slice(0, file.lastIndexOf('/'))}/*` : file);
    if (random() < IN_VAIN_SHARE) paths.add(drawFile(random, modules));
  }
  return [...paths];
}
