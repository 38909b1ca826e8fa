import { ALWAYS_DENIED, DENIED_WITHOUT_NESTING, type DeniedSyscall } from './denied-syscalls.js';
import { buildSeccompFilter } from './seccomp.js';

const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 };
type Architecture = keyof typeof AUDIT_ARCH;
type Call = { number: number; arch: number; args?: readonly bigint[] };

/** Interprets the filter as the kernel does. True if it allows the call. */
function allows(filter: Buffer, { number, arch, args = [] }: Call): boolean {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, k] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const skip = (condition: boolean): number => filter.readUInt8(at * 8 + (condition ? 2 : 3));
    if (code === 0x06) return k === 0x7fff0000;
    if (code === 0x20) loaded = data.readUInt32LE(k);
    else if (code === 0x15) at += skip(loaded === k);
    else if (code === 0x25) at += skip(loaded > k);
    else if (code === 0x45) at += skip((loaded & k) !== 0);
    else if (code === 0x35) at += skip(loaded >= k);
    else throw new Error(`unknown instruction ${code}`);
  }
}

function build(nests: boolean, architecture: Architecture): Buffer {
  const filter = buildSeccompFilter(nests, architecture);
  if (filter === undefined) throw new Error('no filter');
  return filter;
}

describe.each<Architecture>(['x64', 'arm64'])('buildSeccompFilter for %s', (architecture) => {
  const arch = AUDIT_ARCH[architecture];
  const strict = build(false, architecture);
  const nesting = build(true, architecture);
  const listNumbers = (denied: readonly DeniedSyscall[]): number[] =>
    denied.flatMap(({ numbers }) => numbers[architecture] ?? []);
  const conditional = listNumbers(
    [...ALWAYS_DENIED, ...DENIED_WITHOUT_NESTING].filter(({ only }) => only !== undefined),
  );

  it('denies exactly the listed calls', () => {
    const denied = Array.from({ length: 600 }, (_, number) => number).filter(
      (number) => !conditional.includes(number) && !allows(strict, { number, arch }),
    );
    const listed = listNumbers([...ALWAYS_DENIED, ...DENIED_WITHOUT_NESTING]);
    const expected = listed.filter((number) => !conditional.includes(number));
    expect(denied).toEqual([...new Set(expected)].sort((a, b) => a - b));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('also allows mounts, but no other denied call, to a program that may create nested sandboxes', () => {
    for (const number of listNumbers(DENIED_WITHOUT_NESTING))
      expect(allows(nesting, { number, arch })).toBe(true);
    for (const number of listNumbers(ALWAYS_DENIED.filter(({ only }) => only === undefined)))
      expect(allows(nesting, { number, arch })).toBe(false);
  });

  it.each<[string, number, bigint, boolean]>([
    ['socket', 0, 1n, true],
    ['socket', 0, 2n, true],
    ['socket', 0, 10n, true],
    ['socket', 0, 16n, true],
    ['socket', 0, 40n, false],
    ['socketpair', 0, 1n, true],
    ['socketpair', 0, 40n, false],
    ['ioctl', 1, 0x5401n, true],
    ['ioctl', 1, 0x5412n, false],
    // The kernel ignores the upper half of the request.
    ['ioctl', 1, 0xffffffff_00005412n, false],
    ['shmget', 1, 65_536n, true],
    ['shmget', 1, 65_537n, false],
    ['shmget', 1, 0x1_00000000n, false],
    ['personality', 0, 0xffffffffn, true],
    ['personality', 0, 0x40000n, true],
    ['personality', 0, 0x400000n, false],
    // A process, and a thread.
    ['clone', 0, 0x11n, true],
    ['clone', 0, 0x3d0f00n, true],
    ['clone', 0, 0x10000011n, false],
    ['unshare', 0, 0x400n, true],
    ['unshare', 0, 0x08000000n, false],
  ])('decides on %s by argument %d = %d (allowed: %s)', (name, argument, value, expected) => {
    const [number = -1] = listNumbers(
      [...ALWAYS_DENIED, ...DENIED_WITHOUT_NESTING].filter((denied) => denied.name === name),
    );
    const args = argument === 0 ? [value] : [0n, value];
    expect(allows(strict, { number, arch, args })).toBe(expected);
  });

  it('denies every call of another architecture', () => {
    const [other] = Object.values(AUDIT_ARCH).filter((value) => value !== arch);
    for (const number of [0, 1, 39]) {
      expect(allows(strict, { number, arch: other ?? 0 })).toBe(false);
      expect(allows(strict, { number, arch: 0x40000003 })).toBe(false);
    }
  });
});

it('buildSeccompFilter returns no filter for a machine whose call numbers it does not know', () => {
  expect(buildSeccompFilter(false, 'riscv64')).toBeUndefined();
});
