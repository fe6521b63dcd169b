import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { LiveRules } from './kernel.ts'
import type { Database } from '../store/database.ts'
import type { Commit } from './reads/reads.ts'

export interface EventRetriesDeps {
  readonly db: Pick<Database, 'rollbacks'>
  readonly engine: Pick<AlertEngine, 'applyCondition' | 'keepCondition'>
  readonly live: Pick<LiveRules, 'rules'>
}

export interface EventRetries {
  /** A rule on events could not judge a transfer. */
  failed(rule: string, key: string, error: string): void
  /** Once a second, inside the evaluation's transaction. */
  tick(commit: Commit, now: UnixMs): void
}

const everyMs = 10_000
/** Transfers tried again at a time. All are remembered: what is forgotten is found by nobody. */
const mostAtOnce = 200

/**
 * Transfers that a rule on events failed on are judged again until it does not: nothing of them may ever change again,
 * and what they would have found must not be lost. A rule that goes on failing is reported as `monitor.rule_error`.
 */
export function createEventRetries(deps: EventRetriesDeps): EventRetries {
  let waiting = new Set<string>()
  let failing = new Map<string, string>()
  let lastAt = -Infinity
  /** What was judged again last, and how many transactions had come to nothing by then. */
  let last: { readonly keys: readonly string[]; readonly rollbacks: number } = { keys: [], rollbacks: 0 }
  const find = (name: string) => deps.live.rules.find((rule) => rule.name === name)

  return {
    failed(rule, key, error) {
      failing.set(rule, error)
      waiting.add(key)
    },
    tick(commit, now) {
      // Judged in a transaction that came to nothing, they were not.
      if (last.rollbacks !== deps.db.rollbacks()) for (const key of last.keys) waiting.add(key)
      last = { keys: [], rollbacks: deps.db.rollbacks() }
      if (waiting.size === 0 && failing.size === 0) return
      if (now - lastAt < everyMs && now >= lastAt) return
      lastAt = now
      const [before, keys] = [failing, [...waiting]]
      failing = new Map()
      waiting = new Set(keys.slice(mostAtOnce))
      last = { ...last, keys: keys.slice(0, mostAtOnce) }
      commit({ judge: last.keys })
      for (const [name, error] of failing) {
        const rule = find(name)
        if (rule) deps.engine.keepCondition(rule, error, now)
      }
      for (const name of before.keys()) {
        const rule = find(name)
        // An evaluation that went well, with nothing to say of any condition.
        if (rule && !failing.has(name))
          deps.engine.applyCondition(rule, { findings: [], unknown: 'all' }, now)
      }
    },
  }
}
