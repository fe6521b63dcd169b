import { until } from '../../test/support/startMonitor.ts'
import type { Scene } from './scene.ts'
import { demand } from './torture.ts'

const rulesIn = (text: string) => [...text.matchAll(/, rule ([\w-]+) \(/g)].map(([, rule = '']) => rule)

/** Throws when anything was told by another rule than these and that of failures. */
export function demandNoMore(scene: Scene, rules: readonly string[] = []): void {
  const expected = new Set(['transfer-failed', ...rules])
  const others = scene.inbox.messages.filter(({ text }) => rulesIn(text).some((rule) => !expected.has(rule)))
  demand(others.length === 0, `invented: ${others.map(({ text }) => text.split('\n')[0]).join('; ')}`)
}

/** Whether a message of this rule came, in whose text this stands. */
function isTold({ inbox }: Scene, rule: string, words = ''): boolean {
  return inbox.messages.some(({ text }) => rulesIn(text).includes(rule) && text.includes(words))
}

/** Waits until this rule has told it; the seconds that took. */
export async function toldBy(scene: Scene, rule: string, withinMs: number, words = ''): Promise<string> {
  const tookMs = await until(() => isTold(scene, rule, words), withinMs).catch(() => null)
  if (tookMs === null) throw new Error(`${rule} ${words} was not told within ${withinMs / 1_000} s`)
  return (tookMs / 1_000).toFixed(0)
}

/** Waits until `/healthz` answers so; throws with its reasons when it does not in time. */
export async function healthIs(page: string, status: 200 | 503, withinMs: number): Promise<void> {
  const before = performance.now()
  for (;;) {
    const answer = await fetch(`${page}/healthz`, { signal: AbortSignal.timeout(10_000) })
    const text = await answer.text()
    if (answer.status === status) return
    const isLate = performance.now() - before > withinMs
    demand(
      !isLate,
      `/healthz was ${answer.status}, not ${status}, for ${withinMs / 1_000} s: ${text.slice(0, 200)}`,
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
