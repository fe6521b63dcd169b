/**
 * What a daemon takes that watches: `npm run bench:watching -- [minutes]`. The program in a process of its own, with the
 * shipped polls and rules and every second source, against a sandbox in another: a quiet bridge, and a busy one with a
 * transfer a second and its preconfirmations. Beside each, as the floor, a bare loop with the same client that asks as often.
 * The first minutes are not counted: that is the start, the first walk, and the compiling of what runs again and again.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { note } from './support/figures.ts'
import { readCpuSeconds, readResident, watchSandbox } from './support/sandboxDaemon.ts'

const minutes = Number(process.argv[2] ?? 5)
const warmUpMinutes = 3
const worlds = [
  { name: 'quiet', transfersPerMinute: 0, megabytes: 110, cpuSeconds: 30 },
  { name: 'busy', transfersPerMinute: 60, megabytes: 180, cpuSeconds: 80 },
] as const

for (const { name, transfersPerMinute, megabytes, cpuSeconds } of worlds) {
  const scenario = `name: ${name}\nseed: 7\ntraffic: { transfersPerMinute: ${transfersPerMinute} }\nhistory: { for: 10m, transfers: 30 }\ntimeline: []\n`
  const { daemon, url, end } = await watchSandbox(scenario)
  const bare = spawn(process.execPath, [join(import.meta.dirname, 'support/bareLoop.ts'), url])
  const pids = [daemon.pid, bare.pid ?? 0] as const
  await sleep(warmUpMinutes * 60_000)
  const before = pids.map(readCpuSeconds)
  const lags: number[] = []
  for (let minute = 0; minute < minutes; minute += 1) {
    await sleep(60_000)
    lags.push(await readLagMs(daemon.page))
  }
  const [spent = 0, least = 0] = pids.map(
    (pid, place) => ((readCpuSeconds(pid) - (before[place] ?? 0)) * 60) / minutes,
  )
  const [resident, leastResident] = [readResident(pids[0], 'VmRSS'), readResident(pids[1], 'VmRSS')]
  note({
    name: `resident while watching, ${name}`,
    value: resident,
    unit: 'MB',
    floor: leastResident,
    target: { atMost: megabytes },
  })
  note({
    name: `CPU of an hour, ${name}`,
    value: spent,
    unit: 's',
    floor: least,
    target: { atMost: cpuSeconds },
  })
  note({
    name: `event loop delay p99 of the worst minute, ${name}`,
    value: Math.max(...lags),
    unit: 'ms',
    target: { atMost: 10 },
  })
  bare.kill()
  await end()
}

/** How late timers of the daemon ran lately, as it says itself. */
async function readLagMs(page: string): Promise<number> {
  const answer = await fetch(new URL('metrics', page))
  return 1_000 * Number(/^spanwatch_event_loop_lag_seconds (\S+)$/m.exec(await answer.text())?.[1])
}
