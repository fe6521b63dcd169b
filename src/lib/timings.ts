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

/** @example timer.begin(); detect(transfer); timer.took(rule.name) */
export interface RuleTimer {
  begin(): void
  /** All since it began, or since the rule before. */
  took(rule: string): void
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
      let from = 0
      return {
        begin() {
          from = clock.monotonicMs()
        },
        took(rule) {
          const until = clock.monotonicMs()
          sums.set(rule, (sums.get(rule) ?? 0) + until - from)
          from = until
        },
        done() {
          for (const [rule, ms] of sums) for (const observer of observers) observer.rule(rule, ms / 1_000)
        },
      }
    },
  }
}
