import { Fault, type FaultInput, type FaultOf, timesOf } from './fault.js';
import { faultApplies } from './fault-applies.js';

export type Target = { route: string; path: string; repo: string | null; user: string | null };
export type Armed = { id: string; fault: Fault; wait(gone: Promise<void>): Promise<boolean> };
export type FaultHandle = {
  id: string;
  hits(): number;
  /** How many requests wait in it now. */
  waiting(): number;
  /** Lets the waiting requests go on, and disarms it. */
  release(): void;
  clear(): void;
};
type State = {
  id: string;
  fault: Fault;
  pattern: RegExp;
  gate: Gate;
  left: number;
  skip: number;
  hits: number;
  waiting: number;
};

/** Spent faults are remembered for a while, for those who ask how often they hit. */
const REMEMBERED = 1_000;

export type Faults = ReturnType<typeof createFaults>;

/** `routes`: all that there are; `isList`: whether one of them answers in pages. */
export function createFaults({ routes, isList }: { routes: string[]; isList: (route: string) => boolean }) {
  const applies = ({ fault, pattern }: Pick<State, 'fault' | 'pattern'>, route: string) =>
    pattern.test(route) && faultApplies(fault.kind, route, isList);
  const states = new Map<string, State>();
  let count = 0;
  return {
    arm(input: FaultInput): FaultHandle {
      const fault = Fault.parse(input);
      const state = createState(`f${count + 1}`, fault);
      const aimed = routes.filter((route) => state.pattern.test(route));
      if (aimed.length === 0) throw new Error(`the twin has no route "${fault.route}"`);
      if (!aimed.some((route) => applies(state, route)))
        throw new Error(`a fault "${fault.kind}" cannot happen to "${fault.route}"`);
      count += 1;
      states.set(state.id, state);
      const [oldest] = [...states.values()].filter(({ left, waiting }) => left <= 0 && waiting === 0);
      if (states.size > REMEMBERED && oldest) states.delete(oldest.id);
      return toHandle(state);
    },
    handle: (id: string) => {
      const state = states.get(id);
      return state && toHandle(state);
    },
    list: () =>
      [...states.values()].map(({ id, fault, hits, waiting, left }) => ({ id, fault, hits, waiting, left })),
    /** The faults that hit this request; each counts one down. */
    take: (target: Target): Armed[] =>
      [...states.values()]
        .filter(
          (state) =>
            state.left > 0 && applies(state, target.route) && matches(state, target) && countHit(state),
        )
        .map(toArmed),
    /** Lets everybody go on and disarms everything. */
    clear: () => {
      for (const state of states.values()) toHandle(state).release();
    },
    /** The same, but whoever waits is told that it is over: nothing is applied any more. */
    abandon: () => {
      for (const state of states.values()) {
        state.left = 0;
        state.gate.open(false);
      }
    },
  };
}

export function pick<Kind extends Fault['kind']>(
  armed: Armed[],
  kind: Kind,
): (Armed & { fault: FaultOf<Kind> })[] {
  return armed.filter((one): one is Armed & { fault: FaultOf<Kind> } => one.fault.kind === kind);
}

function createState(id: string, fault: Fault): State {
  const pattern = toPattern(fault.route);
  const counts = { left: timesOf(fault), skip: fault.skip, hits: 0, waiting: 0 };
  return { id, fault, pattern, gate: createGate(), ...counts };
}

function toArmed(state: State): Armed {
  return {
    id: state.id,
    fault: state.fault,
    /** Waits in the fault; false when the client went away first. */
    wait: async (gone) => {
      state.waiting += 1;
      const released = await Promise.race([state.gate.opened, gone.then(() => false)]);
      state.waiting -= 1;
      return released;
    },
  };
}

function toHandle(state: State): FaultHandle {
  const disarm = () => {
    state.left = 0;
    state.gate.open(true);
  };
  return {
    id: state.id,
    hits: () => state.hits,
    waiting: () => state.waiting,
    release: disarm,
    clear: disarm,
  };
}

function countHit(state: State): boolean {
  if (state.skip > 0) {
    state.skip -= 1;
    return false;
  }
  state.left -= 1;
  state.hits += 1;
  return true;
}

function matches({ fault }: State, target: Target): boolean {
  return (
    (fault.path === undefined || fault.path === target.path) &&
    (fault.repo === undefined || fault.repo === target.repo) &&
    (fault.user === undefined || fault.user === target.user)
  );
}

function toPattern(route: string): RegExp {
  const literal = route.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`);
}

/** What it opens with: true to go on, false to give up. */
type Gate = { opened: Promise<boolean>; open(goOn: boolean): void };

function createGate(): Gate {
  let open = (_goOn: boolean) => {};
  const opened = new Promise<boolean>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
