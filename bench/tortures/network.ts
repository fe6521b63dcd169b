import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificate, Certificates } from './certificates.ts'
import { packetTortures } from './packets.ts'
import type { Scene } from './scene.ts'
import { demandNoMore, healthIs, toldBy } from './told.ts'
import { demand, lacks, type Torture } from './torture.ts'

/** A source that answers nothing is told from 5 s on, each question given up after 2 s here. */
const outageToldMs = 20_000
/** From three intervals, at least 10 s, on. */
const healthRedMs = 30_000
const healthGreenMs = 20_000

/** The explorer is away for so long, and what failed meanwhile is told when it is back. */
function explorerAway(name: string, way: 'silent' | 'cut', forMs: number): Torture {
  return {
    name,
    async run(scene) {
      const { page } = await scene.start()
      const failures = [scene.addFailure()]
      await scene.allTold(failures)
      const wentAt = performance.now()
      await scene.wires.explorer.turn(way)
      failures.push(...(await scene.addFailures(3, 500)))
      const told = await toldBy(scene, 'source-unavailable', outageToldMs)
      await healthIs(page, 503, healthRedMs)
      await sleep(Math.max(0, forMs - (performance.now() - wentAt)))
      await scene.wires.explorer.turn('open')
      const backAt = performance.now()
      await scene.allTold(failures)
      const caughtUp = ((performance.now() - backAt) / 1_000).toFixed(0)
      await healthIs(page, 200, healthGreenMs)
      await toldBy(scene, 'source-unavailable', 30_000, 'resolved')
      demandNoMore(scene, ['source-unavailable'])
      return `told after ${told} s, caught up in ${caughtUp} s`
    },
  }
}

/** Slack is away for so long; what failed meanwhile is told when it is back. */
function slackAway(name: string, way: 'silent' | 'cut' | 'failing', forMs: number): Torture {
  return {
    name,
    run: async (scene) => endureSlackAway(scene, way, forMs),
  }
}

async function endureSlackAway(scene: Scene, way: 'silent' | 'cut' | 'failing', forMs: number) {
  const { page } = await scene.start()
  const failures = [scene.addFailure()]
  await scene.allTold(failures)
  const wentAt = performance.now()
  await scene.wires.slack.turn(way)
  // A message names 25 at most, and counts the others.
  const everyMs = Math.max(10_000, forMs / 18)
  const awayMs = () => performance.now() - wentAt
  while (awayMs() < forMs) {
    failures.push(scene.addFailure())
    await sleep(Math.min(everyMs, forMs - awayMs()))
    // Two minutes with one waiting, and the lag of looking.
    if (awayMs() > 150_000) await healthIs(page, 503, 2_000)
  }
  demand(scene.untold(failures).length === failures.length - 1, 'the wire to Slack let something through')
  await scene.wires.slack.turn('open')
  const backAt = performance.now()
  // Retries wait at most five minutes.
  await scene.allTold(failures, 330_000)
  const caughtUp = ((performance.now() - backAt) / 1_000).toFixed(0)
  await healthIs(page, 200, healthGreenMs)
  await sleep(5_000)
  demandNoMore(scene)
  return `${failures.length} of ${failures.length} told, caught up in ${caughtUp} s, ${scene.inbox.messages.length} messages`
}

const byTls = { tls: true, name: 'localhost' } as const

/** Both sides show it, one after the other; what failed meanwhile is told when the good one is back. */
function badCertificate(name: string, pick: (of: Certificates) => Certificate | null, says: string): Torture {
  return {
    name: `F103: TLS, ${name}`,
    options: { wires: { explorer: byTls, slack: byTls } },
    missing: () => lacks('openssl'),
    async run(scene) {
      const certificates = scene.certificates
      if (certificates === null) throw new Error('no certificates')
      const { explorer, slack } = scene.wires
      const { page } = await scene.start()
      const failures = [scene.addFailure()]
      await scene.allTold(failures)
      explorer.show(pick(certificates))
      failures.push(scene.addFailure())
      const told = await toldBy(scene, 'source-unavailable', outageToldMs, says)
      explorer.show(certificates.good)
      await scene.allTold(failures)
      slack.show(pick(certificates))
      failures.push(scene.addFailure())
      await healthIs(page, 503, healthRedMs)
      slack.show(certificates.good)
      const backAt = performance.now()
      // Asked again every minute.
      await scene.allTold(failures, 75_000)
      const caughtUp = ((performance.now() - backAt) / 1_000).toFixed(0)
      await healthIs(page, 200, healthGreenMs)
      demandNoMore(scene, ['source-unavailable', 'channel-dead'])
      return `told after ${told} s, Slack caught up in ${caughtUp} s`
    },
  }
}

/** Faults of the network. */
export const networkTortures: readonly Torture[] = [
  explorerAway('F100: the explorer takes connections and says nothing, 30 s', 'silent', 30_000),
  explorerAway('F101: the explorer is down, 60 s', 'cut', 60_000),
  slackAway('F100: Slack takes connections and says nothing, 45 s', 'silent', 45_000),
  slackAway('F101: Slack answers 500, 90 s', 'failing', 90_000),
  badCertificate('expired', ({ expired }) => expired, 'CERT_HAS_EXPIRED'),
  badCertificate('wrong host', ({ wrongHost }) => wrongHost, 'ERR_TLS_CERT_ALTNAME_INVALID'),
  badCertificate('self-signed', ({ selfSigned }) => selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  badCertificate('plain HTTP on its port', () => null, 'ERR_SSL'),
  ...packetTortures,
  { ...slackAway('F101: Slack answers 500, 30 min', 'failing', 1_800_000), word: '30 min' },
]
