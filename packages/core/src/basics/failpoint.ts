/** Every place where a test may kill the process, in the order in which a turn reaches them. */
export const FAILPOINTS = [
  'poller:feed-read',
  'poller:cursor-moved',
  'poller:turn-opened',
  'poller:remarks-read',
  'poller:turn-queued',
  'worker:job-taken',
  'poller:begin-written',
  'worker:begun',
  'worker:slot-restored',
  'worker:agent-started',
  'worker:agent-ended',
  'worker:commit-made',
  'worker:tests-passed',
  'worker:plan-spooled',
  'poller:freeze-read',
  'poller:freeze-written',
  'worker:frozen',
  'worker:lock-proved',
  'worker:pushed',
  'poller:finish-written',
  'worker:finished',
  'poller:gate-checked',
  'poller:turn-deferred',
  'poller:action-sending',
  'poller:action-answered',
  'poller:action-settled',
  'poller:turn-settled',
  'poller:turn-checked',
  'poller:redirect-planned',
  'poller:sign-sending',
  'poller:sign-answered',
  'poller:sign-recorded',
  'poller:notify-marked',
  'poller:notify-sent',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

let onHit: (name: Failpoint) => void = () => {};

/** Does nothing unless a test armed this failpoint. */
export function failpoint(name: Failpoint): void {
  onHit(name);
}

/** Calls the listener whenever code passes a failpoint, for a simulation that counts them. The listener may throw. */
export function watchFailpoints(listener: (name: Failpoint) => void): void {
  onHit = listener;
}

/** Arms the failpoint `name`, or `name#2` to fire on the second hit. Does nothing if `spec` is undefined. */
export function armFailpoint(spec: string | undefined, die: () => void): void {
  if (spec === undefined) return;
  const [name, ordinal = '1'] = spec.split('#', 2);
  if (!FAILPOINTS.some((known) => known === name)) throw new RangeError(`there is no failpoint ${name}`);
  let left = Number(ordinal);
  onHit = (hit) => {
    if (hit !== name) return;
    left -= 1;
    if (left === 0) die();
  };
}
