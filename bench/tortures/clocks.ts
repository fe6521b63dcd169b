import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProgram } from '../../test/support/realMonitor.ts'
import { until } from '../../test/support/startMonitor.ts'
import type { Scene } from './scene.ts'
import { demandNoMore, healthIs, toldBy } from './told.ts'
import { demand, type Torture } from './torture.ts'

const [library] = globSync('/usr/lib{,64}/{,*/}faketime/libfaketimeMT.so.1')
const missing = () => (library === undefined ? 'libfaketime not installed' : null)
const dayMs = 86_400_000

/** The wall clock of whoever runs with its variables; the monotonic one stays the machine's. */
interface WallClock {
  readonly env: Readonly<Record<string, string>>
  /** Sets it, so far ahead of the machine's, for what runs already too. */
  readonly set: (aheadMs: number) => void
}

function withClock(run: (scene: Scene, clock: WallClock) => Promise<string>) {
  return async (scene: Scene) => {
    const folder = mkdtempSync(join(tmpdir(), 'spanwatch-clock-'))
    const file = join(folder, 'ahead')
    const env = {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    const set = (aheadMs: number) => {
      const seconds = Math.round(aheadMs / 1_000)
      writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`)
    }
    try {
      return await run(scene, { env, set })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const named = (days: 1 | -1) => (days === 1 ? 'a day ahead' : 'a day behind')

/** Started with a wrong clock that nobody refuses. */
const wrongAtStart = (days: 1 | -1): Torture => ({
  name: `F106: a clock that is ${named(days)} at the start`,
  missing,
  run: withClock(async (scene, { env, set }) => {
    set(days * dayMs)
    const { page } = await scene.start({ env })
    const failures = await scene.addFailures(5, 1_000)
    await scene.allTold(failures)
    await healthIs(page, 200, 10_000)
    demandNoMore(scene)
    return `${failures.length} of ${failures.length} told`
  }),
})

const credentials = { prefix: 'SVC', key: 'a-key', secret: 'a-secret', passphrase: 'a-phrase' }

/** Started with a wrong clock at a service that checks signatures: told, and mended by a start with the right one. */
const refusedAtStart = (days: 1 | -1): Torture => ({
  name: `F106: signed requests by a clock that is ${named(days)}`,
  options: { explorer: { auth: { key: 'a-key', secret: 'a-secret', passphrase: 'a-phrase' } } },
  missing,
  run: withClock(async (scene, { env, set }) => {
    scene.api.credentials = credentials
    set(0)
    const first = await scene.start({ env })
    const failures = [scene.addFailure()]
    await scene.allTold(failures)
    await endProgram(first)
    set(days * dayMs)
    const wrong = scene.startAnyway({ env })
    failures.push(scene.addFailure())
    const told = await toldBy(scene, 'source-rejected', 40_000)
    await endProgram(wrong)
    set(0)
    await scene.start({ env })
    failures.push(scene.addFailure())
    await scene.allTold(failures)
    demandNoMore(scene, ['source-rejected'])
    return `told after ${told} s, ${failures.length} of ${failures.length} told`
  }),
})

/** Set on and back while it runs. */
const jumping: Torture = {
  name: 'F107: a clock that jumps a day on and a day back while it runs',
  missing,
  run: withClock(async (scene, { env, set }) => {
    set(0)
    const { page } = await scene.start({ env })
    const failures = [scene.addFailure()]
    await scene.allTold(failures)
    const jumps = [dayMs, 0, -dayMs, 0]
    for (const [index, aheadMs] of jumps.entries()) {
      set(aheadMs)
      failures.push(...(await scene.addFailures(2, 1_000)))
      await scene.allTold(failures)
      const isTold = () => countJumps(scene) === index + 1
      await until(isTold, 30_000).catch(() => {
        throw new Error(`after ${index + 1} jumps ${countJumps(scene)} were told`)
      })
      await healthIs(page, 200, 10_000)
    }
    demandNoMore(scene, ['clock-jump'])
    return `${failures.length} of ${failures.length} told, ${jumps.length} of ${jumps.length} jumps`
  }),
}

const countJumps = ({ inbox }: Scene) =>
  inbox.messages.flatMap(({ text }) => text.match(/, rule clock-jump \(/g) ?? []).length

/**
 * A night on which Berlin changes its clocks, with a report due at 02:30: an hour that is not there in spring and comes
 * twice in autumn. Each time is a start, the first on the day before.
 */
const changeOfTime = (night: string, day: string, starts: readonly string[]): Torture => ({
  name: `F108: the change of time in ${night}, with a report due at 02:30`,
  options: { report: { cron: '30 2 * * *', timezone: 'Europe/Berlin' } },
  missing,
  run: withClock(async (scene, { env, set }) => {
    const { api } = scene
    const failures: string[] = []
    for (const start of starts) {
      const aheadMs = Date.parse(start) - Date.now()
      api.now = () => Date.now() + aheadMs
      api.intercept = (_, response) => (
        response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString()), false
      )
      set(aheadMs)
      const daemon = await scene.start({ env })
      failures.push(scene.addFailure(aheadMs))
      await scene.allTold(failures)
      await sleep(50_000)
      await endProgram(daemon)
    }
    const subjects = scene.mails?.map(({ raw }) => raw) ?? []
    const ofDay = subjects.filter((raw) => raw.includes(day))
    demand(
      subjects.length === 1 && ofDay.length === 1,
      `${subjects.length} reports, ${ofDay.length} of ${day}`,
    )
    demandNoMore(scene)
    return `one report, ${failures.length} of ${failures.length} told`
  }),
})

/** Wrong clocks: the whole process under libfaketime. */
export const clockTortures: readonly Torture[] = [
  wrongAtStart(1),
  wrongAtStart(-1),
  refusedAtStart(1),
  refusedAtStart(-1),
  jumping,
  changeOfTime('spring', '2027-03-27', [
    '2027-03-27T20:00:00Z',
    '2027-03-28T00:59:40Z',
    '2027-03-28T01:29:40Z',
  ]),
  changeOfTime('autumn', '2027-10-30', [
    '2027-10-30T20:00:00Z',
    '2027-10-31T00:29:40Z',
    '2027-10-31T00:59:40Z',
    '2027-10-31T01:29:40Z',
  ]),
]
