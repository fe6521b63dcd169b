import { onTestFinished } from 'vitest'
import { createFakeExplorer, type FakeExplorer } from './fakeExplorer.ts'
import { createLeapingClock, type LeapingClock } from './leapingClock.ts'
import { type Monitor, type MonitorOptions, startMonitor } from './startMonitor.ts'

interface Watched extends Monitor {
  /** What was told that holds this text: a hash, as a rule. */
  readonly naming: (text: string | undefined) => string[]
  readonly counts: () => ReturnType<Monitor['app']['parts']['ledger']['countByState']>
}

export interface LeapingApi {
  readonly api: FakeExplorer
  readonly clock: LeapingClock
  /** The daemon beside it; time stands until the first is started. */
  readonly watch: (options?: Omit<MonitorOptions, 'url' | 'clock'>) => Promise<Watched>
  /** Waits until it holds, in the world's time as all else. @returns after how many ms it did */
  readonly until: (holds: () => boolean, withinMs?: number) => Promise<number>
}

const lookEveryMs = 100

/** An explorer API that a test writes by hand, whose chains grow in time that leaps, until the test ends. */
export async function createLeapingApi(): Promise<LeapingApi> {
  const clock = createLeapingClock()
  const startedAt = clock.now()
  const api = await createFakeExplorer()
  api.mainHead = () => 10_000 + Math.floor((clock.now() - startedAt) / 1_000)
  api.zoneHead = () => 100_000 + Math.floor((clock.now() - startedAt) / 100)
  api.now = () => clock.now()
  api.date = () => clock.now()
  const running = new Set<Monitor>()
  onTestFinished(async () => {
    await Promise.all([...running].map((monitor) => monitor.stop()))
    await api.close()
    clock.stop()
  })
  return {
    api,
    clock,
    async watch(options = {}) {
      clock.start()
      const monitor = await startMonitor({ url: api.url, clock, timeoutMs: 60_000, ...options })
      running.add(monitor)
      return {
        ...monitor,
        stop: () => {
          running.delete(monitor)
          return monitor.stop()
        },
        naming: (text) => monitor.told().filter((one) => one.includes(text ?? '?')),
        counts: () => monitor.app.parts.ledger.countByState(),
      }
    },
    async until(holds, withinMs = 60_000) {
      const from = clock.monotonicMs()
      while (!holds()) {
        if (clock.monotonicMs() - from > withinMs) throw new Error(`did not hold within ${withinMs} ms`)
        await clock.sleep(lookEveryMs)
      }
      return clock.monotonicMs() - from
    },
  }
}
