type Architecture = 'x64' | 'arm64';

/**
 * Limits a system call by one 32-bit argument. `denied` and `allowed` list values. `above` denies larger values. `bits`
 * denies values with any of these bits.
 * Without such a condition, the call is always denied.
 */
type Condition = { argument: number } & (
  | { denied: readonly number[] }
  | { allowed: readonly number[] }
  | { above: number }
  | { bits: number }
);

export type DeniedSyscall = {
  name: string;
  /** The number of the call. Undefined if the architecture does not have the call. */
  numbers: Readonly<Record<Architecture, number | undefined>>;
  only?: Condition;
  /** True if the call looks unknown to the kernel, so that programs use an older call instead. */
  isUnknown?: true;
};

type Numbers = readonly [x64: number, arm64: number | undefined];

const deny = (name: string, [x64, arm64]: Numbers, only?: Condition): DeniedSyscall => ({
  name,
  numbers: { x64, arm64 },
  ...(only && { only }),
});

/** New mount, cgroup, UTS, IPC, user, process and network namespaces. */
const NEW_NAMESPACES = 0x7e020000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** The default personality, the 32-bit machine name, no address randomization (debuggers), and a query. */
const PERSONALITIES = [0, 0x8, 0x40000, 0xffffffff];
/** Enough for PostgreSQL. The kernel allows 4,096 segments, and their memory belongs to no process. */
const MAX_SHARED_SEGMENT = 64 * 1024;
/** PostgreSQL needs 20 per set. The kernel allows 32,000 sets of 32,000; no process owns their memory. */
const MAX_SEMAPHORES = 256;

/** System calls that change the machine, or that no agent needs and that have often had kernel bugs. */
export const ALWAYS_DENIED: readonly DeniedSyscall[] = [
  deny('acct', [163, 89]),
  deny('add_key', [248, 217]),
  deny('bpf', [321, 280]),
  deny('clock_settime', [227, 112]),
  deny('delete_module', [176, 106]),
  deny('fanotify_init', [300, 262]),
  deny('finit_module', [313, 273]),
  deny('init_module', [175, 105]),
  deny('io_uring_enter', [426, 426]),
  deny('io_uring_register', [427, 427]),
  deny('io_uring_setup', [425, 425]),
  // These requests type into the terminal of another program.
  deny('ioctl', [16, 29], { argument: 1, denied: [TIOCSTI, TIOCLINUX] }),
  deny('ioperm', [173, undefined]),
  deny('iopl', [172, undefined]),
  deny('kexec_file_load', [320, 294]),
  deny('kexec_load', [246, 104]),
  deny('keyctl', [250, 219]),
  // No measurement counts this memory, and the kernel never swaps it out.
  deny('memfd_secret', [447, 447]),
  deny('modify_ldt', [154, undefined]),
  // Messages in a System V queue occupy memory that belongs to no process.
  deny('msgget', [68, 186]),
  deny('open_by_handle_at', [304, 265]),
  deny('perf_event_open', [298, 241]),
  deny('personality', [135, 92], { argument: 0, allowed: PERSONALITIES }),
  // A test could otherwise take over the agent's output and forge the answer.
  deny('pidfd_getfd', [438, 438]),
  deny('process_vm_writev', [311, 271]),
  deny('quotactl', [179, 60]),
  deny('quotactl_fd', [443, 443]),
  deny('reboot', [169, 142]),
  deny('request_key', [249, 218]),
  deny('semget', [64, 190], { argument: 1, above: MAX_SEMAPHORES }),
  deny('setdomainname', [171, 162]),
  deny('sethostname', [170, 161]),
  deny('settimeofday', [164, 170]),
  deny('shmget', [29, 194], { argument: 1, above: MAX_SHARED_SEGMENT }),
  // Sockets of other kinds bypass the network namespace (vsock) or reach rarely used kernel code.
  deny('socket', [41, 198], { argument: 0, allowed: Object.values(AF) }),
  deny('socketpair', [53, 199], { argument: 0, allowed: Object.values(AF) }),
  deny('swapoff', [168, 225]),
  deny('swapon', [167, 224]),
  deny('syslog', [103, 116]),
  deny('userfaultfd', [323, 282]),
  deny('vhangup', [153, 58]),
];

/** System calls that only a nested sandbox needs. */
export const DENIED_WITHOUT_NESTING: readonly DeniedSyscall[] = [
  deny('clone', [56, 220], { argument: 0, bits: NEW_NAMESPACES }),
  // A filter cannot read its flags, which are in memory. The C libraries then call `clone`.
  { ...deny('clone3', [435, 435]), isUnknown: true },
  deny('fsconfig', [431, 431]),
  deny('fsmount', [432, 432]),
  deny('fsopen', [430, 430]),
  deny('fspick', [433, 433]),
  deny('mount', [165, 40]),
  deny('mount_setattr', [442, 442]),
  deny('move_mount', [429, 429]),
  deny('open_tree', [428, 428]),
  deny('open_tree_attr', [467, 467]),
  deny('pivot_root', [155, 41]),
  deny('setns', [308, 268]),
  deny('umount2', [166, 39]),
  deny('unshare', [272, 97], { argument: 0, bits: NEW_NAMESPACES }),
];
