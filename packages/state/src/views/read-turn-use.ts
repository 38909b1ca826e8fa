import { type AgentUse, SUMS } from '../tables/spend.js';
import type { Snapshot } from './read-snapshot.js';

/** The columns of `spend` that `SUMS` needs. */
const COLUMNS = `attempt, adapter, model, input_tokens, cached_tokens, output_tokens, cost_usd, cost_source, duration_ms`;

/** The latest report of an attempt that has not been counted, such as the running one. */
const SO_FAR = `select attempt, usage_json ->> '$.adapter' as adapter, usage_json ->> '$.model' as model,
    usage_json ->> '$.inputTokens' as input_tokens, usage_json ->> '$.cachedTokens' as cached_tokens,
    usage_json ->> '$.outputTokens' as output_tokens, usage_json ->> '$.costUsd' as cost_usd,
    null as cost_source, null as duration_ms
  from (select attempt, usage_json from agent_steps where turn_key = @turnKey and usage_json is not null
    order by id desc limit 1) as latest
  where not exists (select 1 from spend where spend.turn_key = @turnKey and spend.attempt = latest.attempt)`;

/** Sums what the agents used for a turn so far, with what the running attempt has reported. */
export function readTurnUse({ sqlite }: Pick<Snapshot, 'sqlite'>, turnKey: string): AgentUse | undefined {
  return sqlite
    .prepare<{ turnKey: string }, AgentUse>(
      `select ${SUMS} from (select ${COLUMNS} from spend where turn_key = @turnKey union all ${SO_FAR}) as spend`,
    )
    .get({ turnKey });
}
