import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../test/support/startMonitor.ts'
import type { Scene } from './scene.ts'
import { demand, type Torture } from './torture.ts'

/** Minutes where it is some hundreds: `KILLS=400 npm run bench:torture kill`. */
const kills = Number(process.env['KILLS'] ?? 20)

/** From the start of the process on: two seconds of them are the start itself. */
const longestLifeMs = 6_000

/** The daemon is killed at any time while withdrawals keep failing, and started again at once. */
const killedAtRandom: Torture = {
  name: `F4: ${kills} kill -9 at random instants`,
  options: { slackAnswersWithinMs: 1_000 },
  async run(scene) {
    const ending = new AbortController()
    const failing = keepFailing(scene, ending.signal)
    let watched = 0
    for (let n = 0; n < kills; n += 1) {
      const daemon = scene.startAnyway()
      await sleep(Math.random() * longestLifeMs)
      if (daemon.stderr().includes('"page"')) watched += 1
      daemon.kill('SIGKILL')
      await daemon.ended
    }
    ending.abort()
    const failures = await failing
    await scene.start()
    failures.push(scene.addFailure())
    const isAllTold = () => countTold(scene) >= failures.length
    await until(isAllTold, 120_000).catch(() => {
      throw new Error(`${failures.length - countTold(scene)} of ${failures.length} failures not told`)
    })
    // What would be sent again is sent by now.
    await sleep(5_000)
    demand(countTold(scene) === failures.length, `${countTold(scene)} failures told of ${failures.length}`)
    const repeated = failures.filter((failure) => scene.naming(failure).length > 1)
    const others = repeated.filter((failure) => !isOneMessage(scene, failure))
    demand(others.length === 0, `${others.length} failures were told in a second message: ${others[0]}`)
    const messages = new Set(repeated.map((failure) => idsOf(scene, failure)[0]))
    demand(messages.size <= kills, `${messages.size} messages were sent again after ${kills} kills`)
    return `${kills} kills, ${watched} of them while it watched: ${failures.length} of ${failures.length} failures told, ${repeated.length} twice in ${messages.size} marked messages`
  },
}

/**
 * How many failures were told in all, a message that was sent again counted once. Of many in one message it names the
 * largest and says how many more there are.
 */
function countTold({ inbox }: Scene): number {
  const counts = new Map<string, number>()
  for (const { text } of inbox.messages) {
    if (!text.includes(' failed\n')) continue
    counts.set(
      /message #(\w+)/.exec(text)?.[1] ?? text,
      Number(/(\d+) transfer\.failed/.exec(text)?.[1] ?? 1),
    )
  }
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** Adds a failure each 700 ms or so until `signal`; their hashes. */
async function keepFailing(scene: Scene, signal: AbortSignal): Promise<string[]> {
  const failures: string[] = []
  while (!signal.aborted) {
    failures.push(scene.addFailure())
    await sleep(400 + Math.random() * 600)
  }
  return failures
}

/** Sent again under its own id: what was in flight. */
function isOneMessage(scene: Scene, failure: string): boolean {
  return new Set(idsOf(scene, failure)).size === 1
}

function idsOf(scene: Scene, failure: string): string[] {
  return scene.naming(failure).map(({ text }) => /message #(\w+)/.exec(text)?.[1] ?? '?')
}

/** Kills without warning. */
export const killTortures: readonly Torture[] = [killedAtRandom]
