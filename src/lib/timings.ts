import type { Clock } from './clock.ts'

/** Takes what was measured, seconds. */
export interface TimingObserver {
  rule(name: string, seconds: number): void
  commit(seconds: number): void
}

/** Measures how long things take, for whoever wants to know. */
export interface Timings {
  readonly observers: Set<TimingObserver>
  commit(seconds: number): void
  /** Adds up what each rule took; `done` reports it, once a rule. */
  startRules(): RuleTimer
}

/** @example timer.run(rule.name, () => detect(transfer)) */
export interface RuleTimer {
  run<T>(rule: string, work: () => T): T
  done(): void
}

export function createTimings(clock: Pick<Clock, 'monotonicMs'>): Timings {
  const observers = new Set<TimingObserver>()
  return {
    observers,
    commit(seconds) {
      for (const observer of observers) observer.commit(seconds)
    },
    startRules() {
      const sums = new Map<string, number>()
      return {
        run(rule, work) {
          const startedAt = clock.monotonicMs()
          try {
            return work()
          } finally {
            sums.set(rule, (sums.get(rule) ?? 0) + clock.monotonicMs() - startedAt)
          }
        },
        done() {
          for (const [rule, ms] of sums) for (const observer of observers) observer.rule(rule, ms / 1_000)
        },
      }
    },
  }
}
